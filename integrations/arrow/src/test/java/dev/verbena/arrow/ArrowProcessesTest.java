package dev.verbena.arrow;

import static dev.verbena.arrow.StreamProcess.HELD_ROWS;
import static dev.verbena.arrow.StreamProcess.PATIENCE;
import static dev.verbena.arrow.StreamProcess.STREAM;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TransferException;

/** Batches between two processes, {@link StreamProcess}: what is there, where it lies, and what is left when one of the two is killed. */
class ArrowProcessesTest {
    private static final long MIB = 1 << 20;
    private static final long GIB = 1 << 30;
    private static final int[] ROWS = {20_000, 0, 7, 50_000};
    private static final int LARGE_ROWS = (int) (3 * GIB / Long.BYTES);

    private final RdmaDevice device = RdmaDevice
            .create(RdmaDeviceOptions.defaults().withFabric("shm").withName("parent"));
    private final List<Process> children = new ArrayList<>();

    @AfterEach
    void close() {
        children.forEach(Process::destroyForcibly);
        device.close();
    }

    private BufferedReader start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", System.getProperty("java.class.path"),
                        StreamProcess.class.getName()));
        command.addAll(List.of(arguments));
        Process child = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        children.add(child);
        return new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
    }

    private static void await(BooleanSupplier condition, String what) throws InterruptedException {
        long deadlineNs = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadlineNs, what);
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private void awaitEnd(int status) throws InterruptedException {
        assertTrue(children.getFirst().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals(status, children.getFirst().exitValue());
    }

    private VerbenaStreamWriter writer(VectorSchemaRoot root, Columns columns, String endpoint, TensorArena arena,
            boolean isLent) {
        Endpoint peer = Endpoint.parse(endpoint);
        return isLent
                ? VerbenaStreamWriter.openLending(root, columns == null ? null : columns.dictionaries(), device, peer,
                        STREAM, arena, 4, PATIENCE)
                : VerbenaStreamWriter.open(root, columns == null ? null : columns.dictionaries(), device, peer, STREAM,
                        arena, PATIENCE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"copied", "lent"})
    void columnsOfEveryKindAreThereAndNobodyStagesThem(String way) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("read", way));
        for (int rows : ROWS) {
            arguments.add("" + rows);
        }
        BufferedReader child = start(arguments.toArray(String[]::new));
        try (TensorArena arena = TensorArena.create(device.readableSlabSource(), MIB, 256 * MIB)) {
            try (BufferAllocator allocator = StreamProcess.allocator(arena);
                    Columns first = Columns.of(allocator, ROWS[0], 0);
                    VerbenaStreamWriter writer = writer(first.root(), first, child.readLine(), arena,
                            way.equals("lent"))) {
                for (int i = 0; i < ROWS.length; i++) {
                    if (i > 0) {
                        try (Columns next = Columns.of(allocator, ROWS[i], i);
                                ArrowRecordBatch batch = new VectorUnloader(next.root()).getRecordBatch()) {
                            new VectorLoader(first.root()).load(batch);
                        }
                    }
                    writer.writeBatch();
                    assertEquals("rows " + ROWS[i] + " copies 0", child.readLine());
                }
                writer.end();
                assertEquals("allocated 0", child.readLine());
                awaitEnd(0);
                assertEquals(0, device.statistics().copies());
            }
            assertEquals(0, arena.statistics().liveByteSize());
        }
    }

    @ParameterizedTest
    @Timeout(600)
    @ValueSource(strings = {"copied", "lent"})
    void aColumnOfThreeGibibytes(String way) throws Exception {
        int gibibytes = way.equals("lent") ? 6 : 10;
        String memory = Files.readString(Path.of("/proc/meminfo")).replaceAll("(?s).*MemAvailable: *([0-9]+) kB.*",
                "$1");
        assumeTrue(Long.parseLong(memory) >= (long) gibibytes << 20,
                "needs " + gibibytes + " GiB of memory, has " + memory + " KiB");
        BufferedReader child = start("large", way);
        try (TensorArena arena = TensorArena.create(device.readableSlabSource(), MIB, 4 * GIB);
                BufferAllocator allocator = StreamProcess.allocator(arena);
                BigIntVector vector = new BigIntVector("large", allocator);
                VectorSchemaRoot root = VectorSchemaRoot.of(vector)) {
            vector.allocateNew(LARGE_ROWS);
            for (int row : new int[]{0, LARGE_ROWS / 3, LARGE_ROWS - 1}) {
                vector.set(row, ~row);
            }
            root.setRowCount(LARGE_ROWS);
            try (VerbenaStreamWriter writer = writer(root, null, child.readLine(), arena, way.equals("lent"))) {
                writer.writeBatch();
                assertEquals("bytes " + 3 * GIB + " of rows " + LARGE_ROWS, child.readLine());
                writer.end();
            }
            assertEquals("allocated 0", child.readLine());
            root.clear();
            assertEquals(0, allocator.getAllocatedMemory());
            awaitEnd(0);
        }
    }

    @Test
    void aBorrowerThatIsKilledGivesEverythingBack() throws Exception {
        BufferedReader child = start("hold");
        try (TensorArena arena = TensorArena.create(device.readableSlabSource(), MIB, 16 * MIB);
                BufferAllocator allocator = StreamProcess.allocator(arena)) {
            try (Columns columns = Columns.of(allocator, HELD_ROWS, 0)) {
                VerbenaStreamWriter writer = writer(columns.root(), columns, child.readLine(), arena, true);
                writer.writeBatch();
                assertEquals("holds", child.readLine());
                long lent = allocator.getAllocatedMemory();
                assertTrue(lent > 100_000 && writer.batchesOnLoan() == 1, "lent " + lent);
                children.getFirst().destroyForcibly();
                await(() -> writer.batchesOnLoan() == 0, "the batch is back");
                String complaint = assertThrows(TransferException.class, writer::writeBatch).getMessage();
                assertTrue(complaint.contains("child") && complaint.contains("died"), complaint);
                writer.close();
            }
            assertEquals(0, allocator.getAllocatedMemory());
        }
    }

    @Test
    void aLenderThatIsKilledLeavesItsBatchToTheBorrower() throws Exception {
        try (TensorArena arena = TensorArena.create(device.slabSource(), MIB, 16 * MIB);
                BufferAllocator allocator = StreamProcess.allocator(arena);
                VerbenaStreamReader reader = VerbenaStreamReader.openBorrowing(allocator, device, STREAM, arena, 64,
                        PATIENCE)) {
            BufferedReader child = start("lend", device.endpoint().toString());
            assertTrue(reader.loadNextBatch());
            assertEquals("lends", child.readLine());
            children.getFirst().destroyForcibly().waitFor();
            Columns.check(reader.getVectorSchemaRoot(), reader, HELD_ROWS, 0);
            String complaint = assertThrows(TransferException.class, reader::loadNextBatch).getMessage();
            assertTrue(complaint.contains("cut short") && complaint.contains("died"), complaint);
            reader.getVectorSchemaRoot().clear();
            reader.getDictionaryVectors().values().forEach(each -> each.getVector().clear());
            assertEquals(0, allocator.getAllocatedMemory());
        }
    }
}
