package dev.verbena.training.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.CheckpointException;
import dev.verbena.training.HeapOfTensors;
import dev.verbena.training.KernelRuns;

class CheckpointTest {
    private static final CheckpointHeader HEADER = new CheckpointHeader("server/1", "lstm seed=3", 1234,
            Map.of("random", Long.MIN_VALUE, "epoch", 7L));

    @TempDir
    Path directory;

    private final Arena scope = Arena.ofConfined();
    private final HeapOfTensors heap = new HeapOfTensors(scope);
    private final KernelRuns kernels = new KernelRuns(heap, 1);
    private final Map<String, Tensor> variables = new LinkedHashMap<>();

    CheckpointTest() {
        variables.put("weights/0", kernels.random(33, 7));
        variables.put("Gewichte \u00E4", kernels.random(5));
        variables.put("step", heap.allocate(ElementType.INT64, Shape.of()));
        variables.put("none", heap.allocate(ElementType.INT32, Shape.of(0, 4)));
    }

    @AfterEach
    void close() {
        scope.close();
    }

    @Test
    void whatIsReadIsWhatWasWritten() {
        Path file = write();
        assertFalse(Files.exists(directory.resolve("checkpoint.part")));
        Map<String, Tensor> others = others();
        try (Checkpoint checkpoint = Checkpoint.open(file)) {
            assertEquals(HEADER, checkpoint.header());
            checkpoint.requireOf("server/1", "lstm seed=3");
            checkpoint.restore(others);
        }
        variables
                .forEach((name, tensor) -> assertEquals(-1, tensor.memory().mismatch(others.get(name).memory()), name));
    }

    @Test
    void aVariableThatTakesSeveralChunksIsTheSameFile() throws IOException {
        byte[] whole = Files.readAllBytes(write());
        CheckpointWriter.write(directory.resolve("chunks"), HEADER, variables, 12);
        assertArrayEquals(whole, Files.readAllBytes(directory.resolve("chunks")));
    }

    @Test
    void aTrainingWithoutVariablesHasACheckpointToo() {
        Path file = directory.resolve("empty");
        CheckpointWriter.write(file, HEADER, Map.of());
        try (Checkpoint checkpoint = Checkpoint.open(file)) {
            checkpoint.restore(Map.of());
            assertEquals(1234, checkpoint.header().iteration());
        }
    }

    @Test
    void theNextOneTakesThePlaceOfTheOneBefore() {
        Path file = write();
        CheckpointWriter.write(file, new CheckpointHeader("server/1", "lstm seed=3", 1235, Map.of()), variables);
        try (Checkpoint checkpoint = Checkpoint.open(file)) {
            assertEquals(1235, checkpoint.header().iteration());
        }
    }

    /** Cut off anywhere, it is refused. */
    @Test
    void whatIsCutOffIsRefused() throws IOException {
        byte[] whole = Files.readAllBytes(write());
        Path file = directory.resolve("cut");
        for (int byteSize = 0; byteSize < whole.length; byteSize++) {
            Files.write(file, Arrays.copyOf(whole, byteSize));
            String what = byteSize < CheckpointTable.START_BYTE_SIZE
                    ? " is no checkpoint: it does not begin as one; give a file that a training wrote"
                    : " is cut off: it has " + byteSize + " bytes, and its start says " + whole.length
                            + "; take another checkpoint";
            assertRefused(file + what, () -> Checkpoint.open(file).close());
        }
        Files.write(file, Arrays.copyOf(whole, whole.length + 1));
        assertRefused(file + " is damaged: it has " + (whole.length + 1) + " bytes, and its start says " + whole.length
                + "; take another checkpoint", () -> Checkpoint.open(file).close());
    }

    /** Any bit of it: it is refused and nothing changed, or the bit is none of what is read. */
    @Test
    void aFlippedBitIsSeen() throws IOException {
        byte[] whole = Files.readAllBytes(write());
        Path file = directory.resolve("flipped");
        int seen = 0;
        for (int at = 0; at < whole.length; at++) {
            byte[] flipped = whole.clone();
            flipped[at] ^= (byte) (1 << at % Byte.SIZE);
            Files.write(file, flipped);
            Map<String, Tensor> others = others();
            try (Checkpoint checkpoint = Checkpoint.open(file)) {
                checkpoint.restore(others);
                assertEquals(0, whole[at], "byte " + at + " is no filling");
                variables.forEach((name, tensor) -> assertEquals(-1,
                        tensor.memory().mismatch(others.get(name).memory()), name));
            } catch (CheckpointException e) {
                seen++;
                assertTrue(e.getMessage().startsWith(file + " is "), e.getMessage());
                others.values().forEach(tensor -> {
                    for (byte each : tensor.memory().toArray(ValueLayout.JAVA_BYTE)) {
                        assertEquals(-1, each);
                    }
                });
            }
        }
        long bytes = variables.values().stream().mapToLong(Tensor::byteSize).sum();
        assertTrue(seen > bytes + CheckpointTable.START_BYTE_SIZE, seen + " of " + whole.length);
    }

    @Test
    void saysWhichVariableIsDamaged() throws IOException {
        Path file = write();
        byte[] bytes = Files.readAllBytes(file);
        // The last that has bytes: a step, at the last multiple of 64 before the end.
        bytes[bytes.length - CheckpointTable.ALIGNMENT] ^= 1;
        Files.write(file, bytes);
        try (Checkpoint checkpoint = Checkpoint.open(file)) {
            String message = assertThrows(CheckpointException.class, () -> checkpoint.restore(others())).getMessage();
            int from = bytes.length - CheckpointTable.ALIGNMENT;
            assertTrue(message.matches(Pattern.quote(file + " is damaged: bytes " + from + " to "
                    + (from + 8) + ", variable 'step', have the checksum ")
                    + "0x\\w{8}, not 0x\\w{8}; take another checkpoint"),
                    message);
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        Path file = write();
        try (Checkpoint checkpoint = Checkpoint.open(file)) {
            assertRefused(file + " has the variables of task 'server/1', not of 'server/0';"
                    + " give each task the checkpoint that it wrote",
                    () -> checkpoint.requireOf("server/0", "lstm seed=3"));
            assertRefused(file + " is of a training with other options: 'lstm seed=3', not 'gru seed=3';"
                    + " train with those, or begin without a checkpoint",
                    () -> checkpoint.requireOf("server/1", "gru seed=3"));
            Map<String, Tensor> others = others();
            Tensor step = others.remove("step");
            assertRefused(file + " has a variable 'step' INT64[], and this model has none of that name;"
                    + " give a checkpoint of the same model", () -> checkpoint.restore(others));
            others.put("step", kernels.random(1));
            assertRefused(file + " has variable 'step' as INT64[], and this model has it as FLOAT32[1];"
                    + " give a checkpoint of the same model", () -> checkpoint.restore(others));
            others.put("step", step);
            others.put("more", kernels.random(2));
            assertRefused(file + " has no variable 'other'; it has [weights/0, Gewichte \u00E4, step, none]",
                    () -> checkpoint.checkedBytes("other"));
            assertRefused(file + " has no variable 'more' FLOAT32[2], and this model has;"
                    + " give a checkpoint of the same model", () -> checkpoint.restore(others));
        }
    }

    @Test
    void saysThatThereIsNoCheckpoint() throws IOException {
        Path file = directory.resolve("other");
        assertRefused(file + " does not exist; give a checkpoint that a training wrote", () -> Checkpoint.open(file));
        assertRefused(directory + " is no file; give a checkpoint that a training wrote",
                () -> Checkpoint.open(directory));
        Files.writeString(file, "something else, and long enough to have a start of its own");
        assertRefused(file + " is no checkpoint: it does not begin as one; give a file that a training wrote",
                () -> Checkpoint.open(file));
        byte[] bytes = Files.readAllBytes(write());
        bytes[11] = 2;
        Files.write(file, bytes);
        assertRefused(file + " is a checkpoint of version 2, and this program reads version 1;"
                + " take the program that wrote it", () -> Checkpoint.open(file));
    }

    @Test
    void whatCannotBeWrittenLeavesTheOneBefore() throws IOException {
        Path missing = directory.resolve("no/such");
        String message = assertThrows(CheckpointException.class,
                () -> CheckpointWriter.write(missing, HEADER, variables)).getMessage();
        assertTrue(message.startsWith(missing + " could not be written: ") && message.contains("see that the folder "
                + directory.resolve("no") + " is there"), message);
        Path file = write();
        byte[] before = Files.readAllBytes(file);
        Files.createDirectory(directory.resolve("checkpoint.part"));
        assertThrows(CheckpointException.class, () -> CheckpointWriter.write(file, HEADER, Map.of()));
        assertArrayEquals(before, Files.readAllBytes(file));
    }

    /** What a killed writer has left beside is neither read nor in the way. */
    @Test
    void aPartThatWasLeftIsOverwritten() throws IOException {
        byte[] whole = Files.readAllBytes(write());
        Path part = directory.resolve("checkpoint.part");
        Files.write(part, Arrays.copyOf(whole, whole.length * 3));
        try (Checkpoint checkpoint = Checkpoint.open(directory.resolve("checkpoint"))) {
            checkpoint.restore(others());
        }
        assertArrayEquals(whole, Files.readAllBytes(write()));
        assertFalse(Files.exists(part));
    }

    /** Its source is a hole in a file, so that it takes neither heap nor disk; what is written takes 2 GiB of the disk. */
    @Test
    void aVariableMayHaveMoreThan2GiB() throws IOException {
        long count = (1L << 29) + 5;
        long usable = Files.getFileStore(directory).getUsableSpace();
        assumeTrue(usable > 3L << 30, () -> "more than 3 GiB of " + directory + " are needed, there are " + usable);
        try (FileChannel source = FileChannel.open(directory.resolve("source"), StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment memory = source.map(FileChannel.MapMode.READ_WRITE, 0, count * Float.BYTES, scope);
            memory.setAtIndex(ValueLayout.JAVA_FLOAT, count - 1, 7);
            Tensor large = Tensor.over(() -> memory, 0, ElementType.FLOAT32, Shape.of(count), () -> {});
            Path file = directory.resolve("large");
            CheckpointWriter.write(file, HEADER, Map.of("large", large));
            memory.setAtIndex(ValueLayout.JAVA_FLOAT, count - 1, 8);
            try (Checkpoint checkpoint = Checkpoint.open(file)) {
                MemorySegment bytes = checkpoint.checkedBytes("large");
                assertEquals(count * Float.BYTES, bytes.byteSize());
                assertEquals(7, bytes.getAtIndex(ValueLayout.JAVA_FLOAT, count - 1));
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(new byte[]{1}), channel.size() - CheckpointTable.ALIGNMENT);
            }
            try (Checkpoint checkpoint = Checkpoint.open(file)) {
                assertTrue(assertThrows(CheckpointException.class, () -> checkpoint.checkedBytes("large")).getMessage()
                        .contains("is damaged"));
            }
        }
    }

    /** Killed at any moment, what is there is a whole checkpoint, and the next can be written. */
    @Test
    @Timeout(120)
    void whoIsKilledLeavesAWholeOne() throws Exception {
        Path file = directory.resolve("killed");
        Random random = new Random(1);
        for (int round = 0; round < 4; round++) {
            Files.deleteIfExists(file);
            Process writer = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx256m",
                    "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
                    CheckpointsUnderKill.class.getName(), file.toString()).redirectErrorStream(true)
                    .redirectOutput(directory.resolve("output").toFile()).start();
            try {
                while (!Files.exists(file)) {
                    assertTrue(writer.isAlive(), () -> "output: " + directory.resolve("output"));
                    Thread.sleep(1);
                }
                Thread.sleep(random.nextInt(200));
            } finally {
                writer.destroyForcibly().waitFor();
            }
            Tensor variable = heap.allocate(ElementType.FLOAT32, Shape.of(CheckpointsUnderKill.COUNT));
            try (Checkpoint checkpoint = Checkpoint.open(file)) {
                checkpoint.restore(Map.of(CheckpointsUnderKill.VARIABLE, variable));
                float iteration = checkpoint.header().iteration();
                for (float each : HeapOfTensors.floats(variable)) {
                    assertEquals(iteration, each);
                }
            }
            CheckpointWriter.write(file, HEADER, variables);
            assertFalse(Files.exists(directory.resolve("killed.part")));
        }
    }

    private Path write() {
        Path file = directory.resolve("checkpoint");
        CheckpointWriter.write(file, HEADER, variables);
        return file;
    }

    /** Of the same names and types, with other bytes. */
    private Map<String, Tensor> others() {
        Map<String, Tensor> others = new LinkedHashMap<>();
        variables.forEach((name, tensor) -> others.put(name, heap.allocate(tensor.type(), tensor.shape())));
        return others;
    }

    private static void assertRefused(String message, Executable action) {
        assertEquals(message, assertThrows(CheckpointException.class, action).getMessage());
    }
}
