package dev.verbena.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;

/** Batches over RDMA: a device reads each buffer; what is written to be lent too, since no device maps memory of peers. */
@Timeout(300)
class ArrowStreamOnDevice {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String STREAM = "columns";
    private static final int[] ROWS = {500, 0, 3};

    private static RdmaDevice device(String name) {
        NetworkOptions network = NetworkOptions.ofEnvironment(System.getenv());
        String device = System.getenv("VERBENA_TEST_DEVICE");
        return RdmaDevice.create(RdmaDeviceOptions.defaults().withFabric("verbs").withName(name).withQueueDepth(16)
                .withNetwork(device == null ? network : network.withDevice(device)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void batchesArriveWholeInMemoryOfTheReceiver(boolean wantsLoans) throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (RdmaDevice here = device("here");
                RdmaDevice there = device("there");
                TensorArena sent = TensorArena.create(here.readableSlabSource(), 1 << 20, 16 << 20);
                TensorArena received = TensorArena.create(there.slabSource(), 1 << 20, 16 << 20);
                BufferAllocator sending = StreamProcess.allocator(sent);
                BufferAllocator receiving = StreamProcess.allocator(received);
                VerbenaStreamReader reader = wantsLoans
                        ? VerbenaStreamReader.openBorrowing(receiving, there, STREAM, received, 8, PATIENCE)
                        : VerbenaStreamReader.open(receiving, there, STREAM, received, 8, PATIENCE)) {
            Future<?> writing = threads.submit(() -> {
                try (Columns columns = Columns.of(sending, ROWS[0], 0);
                        VerbenaStreamWriter writer = wantsLoans
                                ? VerbenaStreamWriter.openLending(columns.root(), columns.dictionaries(), here,
                                        there.endpoint(), STREAM, sent, 2, PATIENCE)
                                : VerbenaStreamWriter.open(columns.root(), columns.dictionaries(), here,
                                        there.endpoint(), STREAM, sent, PATIENCE)) {
                    assertFalse(writer.lends());
                    for (int i = 0; i < ROWS.length; i++) {
                        if (i > 0) {
                            try (Columns next = Columns.of(sending, ROWS[i], i);
                                    ArrowRecordBatch batch = new VectorUnloader(next.root()).getRecordBatch()) {
                                new VectorLoader(columns.root()).load(batch);
                            }
                        }
                        writer.writeBatch();
                    }
                    writer.end();
                }
                return null;
            });
            for (int i = 0; i < ROWS.length; i++) {
                assertTrue(reader.loadNextBatch());
                Columns.check(reader.getVectorSchemaRoot(), reader, ROWS[i], i);
                for (FieldVector vector : reader.getVectorSchemaRoot().getFieldVectors()) {
                    for (ArrowBuf buffer : vector.getBuffers(false)) {
                        if (buffer.capacity() > 0) {
                            received.slabAt(buffer.memoryAddress());
                        }
                    }
                }
            }
            assertFalse(reader.loadNextBatch());
            assertFalse(reader.borrows());
            writing.get();
            assertEquals(0, sending.getAllocatedMemory());
            assertEquals(0, here.statistics().copies());
        } finally {
            threads.shutdown();
        }
    }
}
