package dev.verbena.training.checkpoint;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.CheckpointException;

/**
 * A checkpoint that was written by {@link CheckpointWriter}, mapped: the variables of one task, an optimizer's state among them, and what
 * the training needs to go on. Nothing of it reaches a variable before all of it is seen to be whole and to fit.
 *
 * <p><b>Owner:</b> whoever opened it closes it. <b>Threading:</b> confined to its owner.
 */
final class Checkpoint implements AutoCloseable {
    private static final long CHUNK_BYTE_SIZE = 1L << 26;

    private final Path file;
    private final Arena scope;
    private final MemorySegment memory;
    private final CheckpointHeader header;
    private final Map<String, CheckpointTable.Entry> entries = new LinkedHashMap<>();

    private Checkpoint(Path file, Arena scope, MemorySegment memory, CheckpointTable table) {
        this.file = file;
        this.scope = scope;
        this.memory = memory;
        header = table.header();
        table.entries().forEach(entry -> entries.put(entry.name(), entry));
    }

    /** @throws CheckpointException if it is missing, no checkpoint, cut off, or its table damaged */
    static Checkpoint open(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new CheckpointException(file + (Files.exists(file) ? " is no file" : " does not exist")
                    + "; give a checkpoint that a training wrote");
        }
        Arena scope = Arena.ofConfined();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            MemorySegment memory = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), scope);
            return new Checkpoint(file, scope, memory, table(file, memory));
        } catch (IOException e) {
            scope.close();
            throw new CheckpointException(file + " cannot be read: " + e, e);
        } catch (RuntimeException e) {
            scope.close();
            throw e;
        }
    }

    private static CheckpointTable table(Path file, MemorySegment memory) {
        try {
            long start = Math.min(CheckpointTable.START_BYTE_SIZE, memory.byteSize());
            int byteSize = CheckpointTable.byteSizeOf(bytes(memory, start), memory.byteSize());
            return CheckpointTable.decode(bytes(memory, byteSize));
        } catch (CheckpointException e) {
            throw new CheckpointException(file + " " + e.getMessage(), e);
        }
    }

    private static byte[] bytes(MemorySegment memory, long byteSize) {
        return memory.asSlice(0, byteSize).toArray(ValueLayout.JAVA_BYTE);
    }

    CheckpointHeader header() {
        return header;
    }

    /**
     * That it is of this task of a training with these options.
     *
     * @throws CheckpointException if it is not
     */
    void requireOf(String task, String fingerprint) {
        if (!header.task().equals(task)) {
            throw new CheckpointException(file + " has the variables of task '" + header.task() + "', not of '" + task
                    + "'; give each task the checkpoint that it wrote");
        }
        if (!header.fingerprint().equals(fingerprint)) {
            throw new CheckpointException(file + " is of a training with other options: '" + header.fingerprint()
                    + "', not '" + fingerprint + "'; train with those, or begin without a checkpoint");
        }
    }

    /**
     * Sets variables to what they were.
     *
     * @param variables all that the checkpoint has and no others, by name
     * @throws CheckpointException if they do not fit or its bytes are damaged; no variable has changed then
     */
    void restore(Map<String, Tensor> variables) {
        variables.forEach((name, tensor) -> requireFits(name, tensor.type(), tensor.shape()));
        for (CheckpointTable.Entry entry : entries.values()) {
            if (!variables.containsKey(entry.name())) {
                throw new CheckpointException(file + " has a variable '" + entry.name() + "' " + entry.typeText()
                        + ", and this model has none of that name; give a checkpoint of the same model");
            }
        }
        check();
        variables.forEach((name, tensor) -> tensor.memory().copyFrom(bytesOf(entries.get(name))));
    }

    /** @throws CheckpointException if any of its bytes are damaged */
    void check() {
        entries.values().forEach(this::checkBytes);
    }

    /** One variable alone. @throws CheckpointException likewise; it has not changed then */
    void restore(String name, Tensor variable) {
        requireFits(name, variable.type(), variable.shape());
        variable.memory().copyFrom(checkedBytes(name));
    }

    /**
     * A variable's bytes where they lie in the file, not to be used longer than this.
     *
     * @throws CheckpointException if they are damaged, or there is no such variable
     */
    MemorySegment checkedBytes(String name) {
        CheckpointTable.Entry entry = entries.get(name);
        if (entry == null) {
            throw new CheckpointException(file + " has no variable '" + name + "'; it has " + entries.keySet());
        }
        checkBytes(entry);
        return bytesOf(entry);
    }

    private void requireFits(String name, ElementType type, Shape shape) {
        CheckpointTable.Entry entry = entries.get(name);
        if (entry == null) {
            throw new CheckpointException(file + " has no variable '" + name + "' " + type + shape
                    + ", and this model has; give a checkpoint of the same model");
        }
        if (entry.type() != type || !entry.shape().equals(shape)) {
            throw new CheckpointException(file + " has variable '" + name + "' as " + entry.typeText()
                    + ", and this model has it as " + type + shape + "; give a checkpoint of the same model");
        }
    }

    private void checkBytes(CheckpointTable.Entry entry) {
        MemorySegment bytes = bytesOf(entry);
        CRC32C sum = new CRC32C();
        for (long from = 0; from < bytes.byteSize(); from += CHUNK_BYTE_SIZE) {
            sum.update(bytes.asSlice(from, Math.min(CHUNK_BYTE_SIZE, bytes.byteSize() - from)).asByteBuffer());
        }
        if ((int) sum.getValue() != entry.checksum()) {
            throw new CheckpointException(file + " is damaged: bytes " + entry.offset() + " to "
                    + (entry.offset() + entry.byteSize()) + ", variable '" + entry.name() + "', have the checksum "
                    + "0x%08x, not 0x%08x".formatted((int) sum.getValue(), entry.checksum())
                    + "; take another checkpoint");
        }
    }

    private MemorySegment bytesOf(CheckpointTable.Entry entry) {
        return memory.asSlice(entry.offset(), entry.byteSize());
    }

    @Override
    public void close() {
        scope.close();
    }
}
