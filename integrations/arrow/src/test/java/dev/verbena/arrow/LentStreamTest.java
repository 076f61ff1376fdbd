package dev.verbena.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.util.TransferPair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TransferException;

/** Batches that are read where their writer has them: what is there, who moves it, and when whose memory is free. */
class LentStreamTest {
    private static final long MIB = 1 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** More than a batch has buffers, so that a batch is told of whether anybody loads it or not. */
    private static final int DEPTH = 64;

    private final RdmaDevice here = device("here");
    private final RdmaDevice there = device("there");
    private final TensorArena sent = TensorArena.create(here.readableSlabSource(), MIB, 64 * MIB);
    private final TensorArena received = TensorArena.create(there.slabSource(), MIB, 64 * MIB);
    private final BufferAllocator sending = allocator(sent);
    private final BufferAllocator receiving = allocator(received);
    private final ExecutorService threads = Executors.newSingleThreadExecutor();

    private static RdmaDevice device(String name) {
        return RdmaDevice.create(RdmaDeviceOptions.defaults().withFabric("shm").withName(name));
    }

    private static BufferAllocator allocator(TensorArena arena) {
        return new RootAllocator(RootAllocator.configBuilder().roundingPolicy(ArenaRoundingPolicy.INSTANCE)
                .allocationManagerFactory(VerbenaAllocationManager.factory(arena)).build());
    }

    /** That nothing is on loan any more, and nothing forgotten, is what closing says. */
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

    private VerbenaStreamReader reader(int depth) {
        return VerbenaStreamReader.openBorrowing(receiving, there, "columns", received, depth, PATIENCE);
    }

    private VerbenaStreamWriter writer(Columns columns, int batchesMax, Duration timeout) {
        return VerbenaStreamWriter.openLending(columns.root(), columns.dictionaries(), here, there.endpoint(),
                "columns", sent, batchesMax, timeout);
    }

    private static void await(BooleanSupplier condition, String what) throws InterruptedException {
        long deadlineNs = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadlineNs, what);
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private long movedByReader() {
        return there.transferStatistics().getFirst().fabricByteSize();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, DEPTH})
    void batchesAreReadWhereTheirWriterHasThemAndNobodyMovesThem(int depth) throws Exception {
        int[] rows = {1_000, 0, 1, 50_000, 100};
        try (VerbenaStreamReader reader = reader(depth)) {
            Future<?> writing = threads.submit(() -> write(rows));
            long moved = 0;
            for (int i = 0; i < rows.length; i++) {
                assertTrue(reader.loadNextBatch());
                assertTrue(reader.borrows());
                VectorSchemaRoot root = reader.getVectorSchemaRoot();
                Columns.check(root, reader, rows[i], i);
                root.getFieldVectors().forEach(LentStreamTest::checkBorrowed);
                reader.getDictionaryVectors().values().forEach(
                        dictionary -> checkPlaces(dictionary.getVector(), received));
                moved = i == 0 ? movedByReader() : moved;
                assertEquals(moved, movedByReader(), "but for the dictionary, before the first");
            }
            assertFalse(reader.loadNextBatch());
            reader.getVectorSchemaRoot().clear();
            writing.get();
            assertEquals(0, sending.getAllocatedMemory());
            assertTrue(moved > 0 && moved < 10_000, "dictionary: " + moved);
        }
        assertEquals(0, receiving.getAllocatedMemory());
        assertEquals(0, here.statistics().copies());
    }

    private Void write(int... rows) throws IOException {
        try (Columns first = Columns.of(sending, rows[0], 0); VerbenaStreamWriter writer = writer(first, 2, PATIENCE)) {
            assertTrue(writer.lends());
            for (int i = 0; i < rows.length; i++) {
                if (i > 0) {
                    refill(first.root(), rows[i], i);
                }
                writer.writeBatch();
                assertEquals(0, first.root().getRowCount());
                assertTrue(writer.batchesOnLoan() <= 2);
            }
            writer.end();
        }
        return null;
    }

    private void refill(VectorSchemaRoot root, int rows, int seed) {
        try (Columns next = Columns.of(sending, rows, seed);
                ArrowRecordBatch batch = new VectorUnloader(next.root()).getRecordBatch()) {
            new VectorLoader(root).load(batch);
        }
    }

    private static void checkBorrowed(FieldVector vector) {
        for (ArrowBuf buffer : vector.getBuffers(false)) {
            if (buffer.capacity() > 0) {
                Mappings.assertBorrowed(buffer);
            }
        }
    }

    private static void checkPlaces(FieldVector vector, TensorArena arena) {
        for (ArrowBuf buffer : vector.getBuffers(false)) {
            if (buffer.capacity() > 0) {
                arena.slabAt(buffer.memoryAddress());
            }
        }
    }

    /** The root has given its memory away: what is put into it afterwards lies elsewhere, and nothing can be put where others read. */
    @Test
    void aRootIsEmptyWhenItsBatchIsLent() throws Exception {
        try (VerbenaStreamReader reader = reader(DEPTH);
                VectorSchemaRoot root = VectorSchemaRoot.of(ints(100, 0));
                VerbenaStreamWriter writer = VerbenaStreamWriter.openLending(root, null, here, there.endpoint(),
                        "columns", sent, 4, PATIENCE)) {
            IntVector vector = (IntVector) root.getVector("ints");
            writer.writeBatch();
            assertThrows(IndexOutOfBoundsException.class, () -> vector.set(7, -1));
            vector.allocateNew(100);
            for (int i = 0; i < 100; i++) {
                vector.set(i, -i);
            }
            root.setRowCount(100);
            writer.writeBatch();
            assertEquals(2, writer.batchesOnLoan());
            for (int sign : new int[]{1, -1}) {
                assertTrue(reader.loadNextBatch());
                assertEquals(sign * 7, reader.getVectorSchemaRoot().getVector("ints").getObject(7));
            }
            await(() -> writer.batchesOnLoan() == 1, "the first is back, since the second is loaded");
            reader.getVectorSchemaRoot().clear();
            await(() -> writer.batchesOnLoan() == 0, "so is the second");
            assertEquals(0, sending.getAllocatedMemory());
        }
    }

    /** Whoever keeps a vector keeps its buffers on loan, and no others. */
    @Test
    void aReaderMayKeepWhatItHasBeyondTheStream() throws Exception {
        List<FieldVector> kept = new ArrayList<>();
        try (Columns columns = Columns.of(sending, 1_000, 3)) {
            VerbenaStreamWriter writer;
            try (VerbenaStreamReader reader = reader(DEPTH)) {
                writer = writer(columns, 4, Duration.ofMillis(200));
                writer.writeBatch();
                writer.end();
                assertTrue(reader.loadNextBatch());
                TransferPair pair = reader.getVectorSchemaRoot().getVector("ints").getTransferPair(receiving);
                pair.transfer();
                kept.add((FieldVector) pair.getTo());
            }
            assertEquals(1, writer.batchesOnLoan());
            String complaint = assertThrows(TransferException.class, writer::close).getMessage();
            assertTrue(complaint.contains("peer there still has 1 batches on loan"), complaint);
        }
        assertTrue(sending.getAllocatedMemory() > 0 && sending.getAllocatedMemory() < 10_000, "the ints only");
        FieldVector ints = kept.getFirst();
        assertEquals(6 * 31 + 3, ints.getObject(6));
        assertTrue(receiving.getAllocatedMemory() > 0);
        ints.close();
        assertEquals(0, receiving.getAllocatedMemory());
        await(() -> sending.getAllocatedMemory() == 0, "the writer has its memory back");
    }

    @Test
    void aReaderThatLoadsNothingHoldsUpAWriterWhenItHasAsManyAsItMay() throws Exception {
        try (VerbenaStreamReader reader = reader(DEPTH); Columns columns = Columns.of(sending, 10, 0)) {
            VerbenaStreamWriter writer = writer(columns, 1, Duration.ofMillis(200));
            writer.writeBatch();
            assertEquals(1, writer.batchesOnLoan());
            refill(columns.root(), 20, 1);
            String complaint = assertThrows(TransferException.class, writer::writeBatch).getMessage();
            assertTrue(complaint.contains("peer there still has 1 batches on loan"), complaint);
            Columns.check(columns.root(), columns.dictionaries(), 20, 1);
            assertTrue(reader.loadNextBatch());
            Columns.check(reader.getVectorSchemaRoot(), reader, 10, 0);
            writer.close();
            assertThrows(TransferException.class, reader::loadNextBatch);
        }
        await(() -> sending.getAllocatedMemory() == 0, "the writer has its memory back");
    }

    @Test
    void aConnectionThatFailsLeavesABatchToItsReaderUntilThatReleasesIt() throws Exception {
        try (VerbenaStreamReader reader = reader(DEPTH); Columns columns = Columns.of(sending, 1_000, 0)) {
            VerbenaStreamWriter writer = writer(columns, 4, PATIENCE);
            writer.writeBatch();
            assertTrue(reader.loadNextBatch());
            here.abort("out of patience");
            assertThrows(TransferException.class, writer::writeBatch);
            writer.close();
            Columns.check(reader.getVectorSchemaRoot(), reader, 1_000, 0);
            assertTrue(sending.getAllocatedMemory() > 10_000, "the reader has it still");
            String complaint = assertThrows(TransferException.class, reader::loadNextBatch).getMessage();
            assertTrue(complaint.contains("cut short") && complaint.contains("out of patience"), complaint);
        }
        await(() -> sending.getAllocatedMemory() == 0, "the writer has its memory back");
    }

    @Test
    void whoDoesNotBorrowIsNotLentToAndWhoDoesNotLendIsRead() throws Exception {
        try (Columns columns = Columns.of(sending, 100, 0)) {
            try (VerbenaStreamReader copying = VerbenaStreamReader.open(receiving, there, "columns", received, DEPTH,
                    PATIENCE)) {
                String refusal = assertThrows(TransferException.class, () -> writer(columns, 4, PATIENCE))
                        .getMessage();
                assertTrue(refusal.contains("dynamicSender"), refusal);
                assertFalse(copying.borrows());
            }
            try (VerbenaStreamReader reader = reader(DEPTH);
                    VerbenaStreamWriter writer = VerbenaStreamWriter.open(columns.root(), columns.dictionaries(), here,
                            there.endpoint(), "columns", sent, PATIENCE)) {
                assertFalse(writer.lends());
                writer.writeBatch();
                assertEquals(0, writer.batchesOnLoan());
                Columns.check(columns.root(), columns.dictionaries(), 100, 0);
                assertTrue(reader.loadNextBatch());
                Columns.check(reader.getVectorSchemaRoot(), reader, 100, 0);
                reader.getVectorSchemaRoot().getFieldVectors().forEach(vector -> checkPlaces(vector, received));
            }
        }
    }

    /** Whatever the reason, such as an exception: only who says end() has written all. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWriterThatIsClosedWithoutAnEndIsAnErrorOfTheReader(boolean isLent) throws Exception {
        try (VerbenaStreamReader reader = reader(DEPTH)) {
            Future<?> writing = threads.submit(() -> {
                try (Columns columns = Columns.of(sending, 100, 0);
                        VerbenaStreamWriter writer = isLent ? writer(columns, 4, PATIENCE)
                                : VerbenaStreamWriter.open(columns.root(), columns.dictionaries(), here,
                                        there.endpoint(), "columns", sent, PATIENCE)) {
                    writer.writeBatch();
                    throw new IllegalStateException("no more rows");
                }
            });
            assertTrue(reader.loadNextBatch());
            Columns.check(reader.getVectorSchemaRoot(), reader, 100, 0);
            reader.getVectorSchemaRoot().clear();
            String complaint = assertThrows(TransferException.class, reader::loadNextBatch).getMessage();
            assertTrue(complaint.contains("stream 'columns' of ") && complaint.contains("was cut short"), complaint);
            assertTrue(assertThrows(ExecutionException.class, writing::get).getMessage().contains("no more rows"));
        }
    }

    @Test
    void atLeastOneBatchMustBeLent() {
        try (Columns columns = Columns.of(sending, 1, 0)) {
            assertThrows(IllegalArgumentException.class, () -> writer(columns, 0, PATIENCE));
        }
    }

    private IntVector ints(int rows, int seed) {
        IntVector vector = new IntVector("ints", sending);
        vector.allocateNew(rows);
        for (int i = 0; i < rows; i++) {
            vector.set(i, i + seed);
        }
        vector.setValueCount(rows);
        return vector;
    }
}
