package dev.verbena.training;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/** Writes IDX files for tests, right and wrong ones. */
final class IdxFiles {
    static final int IMAGES = 0x803;
    static final int LABELS = 0x801;

    private IdxFiles() {}

    /** A header of any magic and dimensions, and a body of any length. */
    static byte[] idx(int magic, int bodyByteSize, int... dimensions) {
        ByteBuffer buffer = ByteBuffer.allocate(4 + 4 * dimensions.length + bodyByteSize).putInt(magic);
        for (int dimension : dimensions) {
            buffer.putInt(dimension);
        }
        return buffer.array();
    }

    /** Images whose first pixel is their number. */
    static byte[] images(int count, int rows, int columns) {
        byte[] file = idx(IMAGES, count * rows * columns, count, rows, columns);
        for (int i = 0; i < count; i++) {
            file[16 + i * rows * columns] = (byte) i;
        }
        return file;
    }

    static byte[] labels(int... labels) {
        byte[] file = idx(LABELS, labels.length, labels.length);
        for (int i = 0; i < labels.length; i++) {
            file[8 + i] = (byte) labels[i];
        }
        return file;
    }

    static byte[] gzipped(byte[] content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static void write(Path directory, String name, byte[] content) {
        try {
            Files.write(directory.resolve(name), content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
