package dev.verbena.training.checkpoint;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.zip.CRC32C;

import dev.verbena.memory.Tensor;
import dev.verbena.training.CheckpointException;

/**
 * Writes checkpoints, all or nothing: into a file beside, {@code NAME.part}, which takes the name when it is on the disk. Whoever is killed
 * meanwhile leaves the checkpoint before whole, and a part that the next write overwrites.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> one writer for each file.
 */
final class CheckpointWriter {
    /** What a {@link ByteBuffer} can show of a variable at once is less than 2 GiB. */
    private static final long CHUNK_BYTE_SIZE = 1L << 26;

    private final FileChannel channel;
    private final long chunkByteSize;

    private CheckpointWriter(FileChannel channel, long chunkByteSize) {
        this.channel = channel;
        this.chunkByteSize = chunkByteSize;
    }

    /**
     * @param variables by name, in the order in which they will lie there; not to be changed meanwhile
     * @throws CheckpointException if that fails; what was under the name before is untouched
     */
    static void write(Path file, CheckpointHeader header, Map<String, Tensor> variables) {
        write(file, header, variables, CHUNK_BYTE_SIZE);
    }

    /** As above, of variables that take more than one chunk. */
    static void write(Path file, CheckpointHeader header, Map<String, Tensor> variables, long chunkByteSize) {
        Path target = file.toAbsolutePath();
        Path beside = target.resolveSibling(target.getFileName() + ".part");
        try {
            try (FileChannel channel = FileChannel.open(beside, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                    StandardOpenOption.TRUNCATE_EXISTING)) {
                new CheckpointWriter(channel, chunkByteSize).write(CheckpointTable.of(header, variables), variables);
                channel.force(true);
            }
            Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            forceDirectory(target.getParent());
        } catch (IOException e) {
            discard(beside);
            throw new CheckpointException(file + " could not be written: " + e + "; see that the folder "
                    + target.getParent() + " is there, may be written to and has room. What was there before is whole",
                    e);
        }
    }

    /** What a full disk has no room for is not left on it. */
    private static void discard(Path beside) {
        try {
            if (Files.isRegularFile(beside)) {
                Files.delete(beside);
            }
        } catch (IOException e) {
            // The next write begins with it; why this one failed is said.
        }
    }

    /** The name is on the disk only when its folder is. */
    private static void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** The table last: it has the checksums, which are taken on the way. */
    private void write(CheckpointTable table, Map<String, Tensor> variables) throws IOException {
        int[] checksums = new int[table.entries().size()];
        for (int i = 0; i < checksums.length; i++) {
            CheckpointTable.Entry entry = table.entries().get(i);
            checksums[i] = write(variables.get(entry.name()).memory(), entry.offset());
        }
        byte[] start = table.withChecksums(checksums).encode();
        writeFully(ByteBuffer.wrap(start), 0);
        // What no variable reaches is zeros, to the end that the table tells.
        if (channel.size() < table.byteSize()) {
            writeFully(ByteBuffer.allocate(1), table.byteSize() - 1);
        }
    }

    private int write(MemorySegment memory, long offset) throws IOException {
        CRC32C sum = new CRC32C();
        for (long from = 0; from < memory.byteSize(); from += chunkByteSize) {
            ByteBuffer chunk = memory.asSlice(from, Math.min(chunkByteSize, memory.byteSize() - from)).asByteBuffer();
            sum.update(chunk.duplicate());
            writeFully(chunk, offset + from);
        }
        return (int) sum.getValue();
    }

    private void writeFully(ByteBuffer bytes, long offset) throws IOException {
        long position = offset;
        while (bytes.hasRemaining()) {
            position += channel.write(bytes, position);
        }
    }
}
