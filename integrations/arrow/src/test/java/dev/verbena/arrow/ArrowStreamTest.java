package dev.verbena.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorUnloader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TransferException;

/** Batches from one device to another of this process: what arrives, where it lies, and that nobody staged it. */
class ArrowStreamTest {
    private static final long MIB = 1 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final RdmaDevice here = device("here");
    private final RdmaDevice there = device("there");
    private final TensorArena sent = TensorArena.create(here.readableSlabSource(), MIB, 64 * MIB);
    private final TensorArena received = TensorArena.create(there.slabSource(), MIB, 64 * MIB);
    private final BufferAllocator sending = allocator(sent, Long.MAX_VALUE);
    private final BufferAllocator receiving = allocator(received, Long.MAX_VALUE);
    private final ExecutorService threads = Executors.newSingleThreadExecutor();

    private static RdmaDevice device(String name) {
        return RdmaDevice.create(RdmaDeviceOptions.defaults().withFabric("shm").withName(name));
    }

    private static BufferAllocator allocator(TensorArena arena, long byteSizeMax) {
        return new RootAllocator(RootAllocator.configBuilder().maxAllocation(byteSizeMax)
                .roundingPolicy(ArenaRoundingPolicy.INSTANCE)
                .allocationManagerFactory(VerbenaAllocationManager.factory(arena)).build());
    }

    /** That Arrow has forgotten nothing is what closing its allocators says. */
    @AfterEach
    void close() throws InterruptedException {
        threads.shutdown();
        sending.close();
        receiving.close();
        sent.close(PATIENCE);
        received.close(PATIENCE);
        here.close();
        there.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 64})
    void batchesArriveWholeInMemoryOfTheReceiver(int depth) throws Exception {
        int[] rows = {1_000, 0, 1, 100_000, 100};
        try (VerbenaStreamReader reader = VerbenaStreamReader.open(receiving, there, "columns", received, depth,
                PATIENCE)) {
            Future<?> writing = threads.submit(() -> write(rows));
            for (int i = 0; i < rows.length; i++) {
                if (!reader.loadNextBatch()) {
                    writing.get(); // why
                    fail("no batch " + i);
                }
                VectorSchemaRoot root = reader.getVectorSchemaRoot();
                Columns.check(root, reader, rows[i], i);
                root.getFieldVectors().forEach(vector -> checkPlaces(vector, received));
                reader.getDictionaryVectors().values()
                        .forEach(dictionary -> checkPlaces(dictionary.getVector(), received));
            }
            assertFalse(reader.loadNextBatch());
            assertFalse(reader.loadNextBatch(), "the end stays the end");
            writing.get();
            assertEquals(0, sending.getAllocatedMemory());
            assertTrue(reader.bytesRead() > receiving.getAllocatedMemory());
        }
        assertEquals(0, receiving.getAllocatedMemory());
        assertEquals(0, here.statistics().copies());
        assertEquals(0, there.statistics().copies());
        assertTrue(here.statistics().transferredByteSize() > 100_000 * 20);
    }

    private Void write(int... rows) {
        try (Columns first = Columns.of(sending, rows[0], 0);
                VerbenaStreamWriter writer = VerbenaStreamWriter.open(first.root(), first.dictionaries(), here,
                        there.endpoint(), "columns", sent, PATIENCE)) {
            writer.start();
            writer.writeBatch();
            for (int i = 1; i < rows.length; i++) {
                refill(first.root(), rows[i], i);
                writer.writeBatch();
            }
            writer.end();
            return null;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The buffers that were there before are free, as soon as nobody else refers to them. */
    private void refill(VectorSchemaRoot root, int rows, int seed) {
        try (Columns next = Columns.of(sending, rows, seed);
                ArrowRecordBatch batch = new VectorUnloader(next.root()).getRecordBatch()) {
            new VectorLoader(root).load(batch);
        }
    }

    private static void checkPlaces(FieldVector vector, TensorArena arena) {
        for (ArrowBuf buffer : vector.getBuffers(false)) {
            if (buffer.capacity() > 0) {
                arena.slabAt(buffer.memoryAddress());
                arena.slabAt(buffer.memoryAddress() + buffer.capacity() - 1);
            }
        }
    }

    @Test
    void whatLiesElsewhereIsNotSent() {
        try (VerbenaStreamReader reader = VerbenaStreamReader.open(receiving, there, "columns", received, 4,
                Duration.ofMillis(20));
                BufferAllocator others = new RootAllocator();
                VectorSchemaRoot root = VectorSchemaRoot.of(ints(others, 100));
                VerbenaStreamWriter writer = VerbenaStreamWriter.open(root, null, here, there.endpoint(), "columns",
                        sent, PATIENCE)) {
            String refusal = assertThrows(IllegalArgumentException.class, writer::writeBatch).getMessage();
            assertTrue(refusal.contains("VerbenaAllocationManager.factory"), refusal);
            root.clear();
            assertEquals(0, reader.bytesRead());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aReaderThatDoesNotReadIsNamedAndTheBatchStaysTheSenders() throws IOException {
        try (Columns columns = Columns.of(sending, 10, 0)) {
            VerbenaStreamReader reader = VerbenaStreamReader.open(receiving, there, "columns", received, 1, PATIENCE);
            VerbenaStreamWriter writer;
            try (reader) {
                writer = VerbenaStreamWriter.open(columns.root(), columns.dictionaries(), here, there.endpoint(),
                        "columns", sent, Duration.ofMillis(200));
                String complaint = assertThrows(TransferException.class, writer::writeBatch).getMessage();
                assertTrue(complaint.contains("peer there has not read"), complaint);
            }
            try (writer) {
                assertThrows(TransferException.class, writer::writeBatch, "and nothing any more");
            }
            Columns.check(columns.root(), columns.dictionaries(), 10, 0);
        }
    }

    @Test
    void aWriterThatDoesNotWriteIsWaitedForUntilTheTimeout() {
        try (VerbenaStreamReader reader = VerbenaStreamReader.open(receiving, there, "columns", received, 1,
                Duration.ofMillis(50))) {
            String complaint = assertThrows(TransferException.class, reader::loadNextBatch).getMessage();
            assertTrue(complaint.contains("stream 'columns' has waited"), complaint);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aReaderHearsThatTheWriterIsLost() throws IOException {
        try (VerbenaStreamReader reader = VerbenaStreamReader.open(receiving, there, "columns", received, 8, PATIENCE);
                Columns columns = Columns.of(sending, 10, 0)) {
            VerbenaStreamWriter writer = VerbenaStreamWriter.open(columns.root(), columns.dictionaries(), here,
                    there.endpoint(), "columns", sent, PATIENCE);
            here.abort("out of patience");
            String complaint = assertThrows(TransferException.class, reader::loadNextBatch).getMessage();
            assertTrue(complaint.contains("here"), complaint);
            assertThrows(TransferException.class, writer::end, "nobody was told that this is the end");
            writer.close();
        }
    }

    @Test
    void aWriterHearsThatTheReaderIsLostAndKeepsItsBatch() throws IOException {
        try (Columns columns = Columns.of(sending, 10, 0)) {
            VerbenaStreamWriter writer;
            try (VerbenaStreamReader reader = VerbenaStreamReader.open(receiving, there, "columns", received, 1,
                    PATIENCE)) {
                writer = VerbenaStreamWriter.open(columns.root(), columns.dictionaries(), here, there.endpoint(),
                        "columns", sent, PATIENCE);
                there.abort("out of memory");
                String complaint = assertThrows(TransferException.class, writer::writeBatch).getMessage();
                assertTrue(complaint.contains("there"), complaint);
                assertEquals(0, reader.bytesRead());
            }
            writer.close();
            Columns.check(columns.root(), columns.dictionaries(), 10, 0);
        }
    }

    /** Compressed into the sender's arena, sent from there, decompressed into the reader's. */
    @ParameterizedTest
    @EnumSource(value = CompressionUtil.CodecType.class, names = {"LZ4_FRAME", "ZSTD"})
    void compressedBatchesArriveWholeAndAreSmaller(CompressionUtil.CodecType codec) throws Exception {
        int rows = 1_000; // LZ4 of Commons Compress takes a second for a megabyte
        try (VerbenaStreamReader reader = VerbenaStreamReader.openDecompressing(receiving, there, "columns", received,
                64, CommonsCompressionFactory.INSTANCE, PATIENCE)) {
            Future<?> writing = threads.submit(() -> {
                try (Columns columns = Columns.of(sending, rows, 5);
                        VerbenaStreamWriter writer = VerbenaStreamWriter.openCompressing(columns.root(),
                                columns.dictionaries(), here, there.endpoint(), "columns", sent,
                                CommonsCompressionFactory.INSTANCE, codec, PATIENCE)) {
                    writer.writeBatch();
                    writer.writeBatch();
                    writer.end();
                }
                return null;
            });
            for (int i = 0; i < 2; i++) {
                assertTrue(reader.loadNextBatch());
                Columns.check(reader.getVectorSchemaRoot(), reader, rows, 5);
                reader.getVectorSchemaRoot().getFieldVectors().forEach(vector -> checkPlaces(vector, received));
            }
            assertFalse(reader.loadNextBatch());
            writing.get();
            assertTrue(reader.bytesRead() < 2 * receiving.getAllocatedMemory(), "read " + reader.bytesRead());
        }
        assertEquals(0, receiving.getAllocatedMemory());
        assertEquals(0, here.statistics().copies());
    }

    /** A reader that has no codec says so, and what it has read is free. */
    @Test
    void compressedBatchesNeedAReaderThatDecompresses() throws Exception {
        try (VerbenaStreamReader reader = VerbenaStreamReader.open(receiving, there, "columns", received, 64,
                PATIENCE)) {
            Future<?> writing = threads.submit(() -> {
                try (VectorSchemaRoot root = VectorSchemaRoot.of(ints(sending, 1_000));
                        VerbenaStreamWriter writer = VerbenaStreamWriter.openCompressing(root, null, here,
                                there.endpoint(), "columns", sent, CommonsCompressionFactory.INSTANCE,
                                CompressionUtil.CodecType.ZSTD, PATIENCE)) {
                    writer.writeBatch();
                }
                return null;
            });
            String complaint = assertThrows(IllegalArgumentException.class, reader::loadNextBatch).getMessage();
            assertTrue(complaint.contains("arrow-compression"), complaint);
            writing.get();
        }
        assertEquals(0, receiving.getAllocatedMemory());
    }

    /** Two streams of one root, of which one reader is slow: it holds up its own writer only. */
    @Test
    void eachReaderHasAWriterAndHoldsUpNoOther() throws Exception {
        try (Columns columns = Columns.of(sending, 500, 1);
                VerbenaStreamReader swift = VerbenaStreamReader.open(receiving, there, "swift", received, 64, PATIENCE);
                VerbenaStreamReader slow = VerbenaStreamReader.open(receiving, there, "slow", received, 64, PATIENCE);
                VerbenaStreamWriter toSwift = VerbenaStreamWriter.open(columns.root(), columns.dictionaries(), here,
                        there.endpoint(), "swift", sent, PATIENCE);
                VerbenaStreamWriter toSlow = VerbenaStreamWriter.open(columns.root(), columns.dictionaries(), here,
                        there.endpoint(), "slow", sent, Duration.ofMillis(300))) {
            toSlow.writeBatch();
            for (int i = 0; i < 5; i++) {
                toSwift.writeBatch();
                assertTrue(swift.loadNextBatch());
                Columns.check(swift.getVectorSchemaRoot(), swift, 500, 1);
            }
            // As many tensors as the slow reader's device reads ahead, and then none.
            int ahead = 1;
            try {
                while (ahead < 64) {
                    toSlow.writeBatch();
                    ahead++;
                }
                fail("nobody has loaded " + ahead + " batches");
            } catch (TransferException e) {
                assertTrue(e.getMessage().contains("peer there has not read"), e.getMessage());
            }
            for (int i = 0; i < ahead; i++) {
                assertTrue(slow.loadNextBatch());
                Columns.check(slow.getVectorSchemaRoot(), slow, 500, 1);
            }
            toSwift.writeBatch();
            toSwift.end();
            assertTrue(swift.loadNextBatch());
            assertFalse(swift.loadNextBatch());
        }
    }

    @Test
    void aReadersLimitIsArrows() throws Exception {
        try (BufferAllocator little = allocator(received, 1_000);
                VerbenaStreamReader reader = VerbenaStreamReader.open(little, there, "columns", received, 64,
                        PATIENCE)) {
            Future<?> writing = threads.submit(() -> {
                try (VectorSchemaRoot root = VectorSchemaRoot.of(ints(sending, 1_000));
                        VerbenaStreamWriter writer = VerbenaStreamWriter.open(root, null, here, there.endpoint(),
                                "columns", sent, PATIENCE)) {
                    writer.writeBatch();
                }
                return null;
            });
            assertThrows(OutOfMemoryException.class, reader::loadNextBatch);
            writing.get();
            assertEquals(0, little.getAllocatedMemory());
        }
    }

    private static IntVector ints(BufferAllocator allocator, int rows) {
        IntVector vector = new IntVector("ints", allocator);
        vector.allocateNew(rows);
        for (int i = 0; i < rows; i++) {
            vector.set(i, i);
        }
        vector.setValueCount(rows);
        return vector;
    }
}
