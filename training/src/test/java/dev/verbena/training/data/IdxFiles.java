package dev.verbena.training.data;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

import dev.verbena.training.DataException;
import org.junit.jupiter.api.function.Executable;

/** Writes IDX files for tests, right and wrong ones. */
public final class IdxFiles {
    public static final int IMAGES = 0x803;
    public static final int LABELS = 0x801;

    private IdxFiles() {}

    /** Of one line, in which the part is. */
    public static void assertDefect(String part, Executable action) {
        String message = assertThrows(DataException.class, action).getMessage();
        assertTrue(message.contains(part), message);
        assertFalse(message.contains("\n"), message);
    }

    /** A header of any magic and dimensions, and a body of any length. */
    public static byte[] idx(int magic, int bodyByteSize, int... dimensions) {
        ByteBuffer buffer = ByteBuffer.allocate(4 + 4 * dimensions.length + bodyByteSize).putInt(magic);
        for (int dimension : dimensions) {
            buffer.putInt(dimension);
        }
        return buffer.array();
    }

    /** Images whose first pixel is their number. */
    public static byte[] images(int count, int rows, int columns) {
        byte[] file = idx(IMAGES, count * rows * columns, count, rows, columns);
        for (int i = 0; i < count; i++) {
            file[16 + i * rows * columns] = (byte) i;
        }
        return file;
    }

    public static byte[] labels(int... labels) {
        byte[] file = idx(LABELS, labels.length, labels.length);
        for (int i = 0; i < labels.length; i++) {
            file[8 + i] = (byte) labels[i];
        }
        return file;
    }

    public static byte[] gzipped(byte[] content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    public static void write(Path directory, String name, byte[] content) {
        try {
            Files.write(directory.resolve(name), content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
