package dev.verbena.cli.infer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

import dev.verbena.cli.BadInputException;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.page.FileTrouble;

/**
 * A tensor in a file that says what it is.
 *
 * @param bytes of its elements, row-major and little-endian
 */
record TensorFile(ElementType type, Shape shape, MemorySegment bytes) {
    static final String NPY = ".npy";
    static final String PROTO = ".pb";

    /** Whether such a file says its type and shape; others have nothing but elements. */
    static boolean isDescribed(Path file) {
        return file.toString().endsWith(NPY) || file.toString().endsWith(PROTO);
    }

    /** @throws BadInputException if it is not there, or malformed */
    static TensorFile read(Path file) {
        MemorySegment content = map(file);
        return file.toString().endsWith(NPY) ? NpyFormat.read(file, content) : TensorProtoFormat.read(file, content);
    }

    /** All that is in a file, for as long as it is reachable. */
    static MemorySegment map(Path file) {
        try (FileChannel channel = FileChannel.open(file)) {
            return channel.map(MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto());
        } catch (IOException e) {
            throw new BadInputException(
                    file + " cannot be read: " + FileTrouble.of(e));
        }
    }
}
