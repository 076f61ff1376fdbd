package dev.verbena.cli;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Writes IDX files as MNIST has them: magic 0x0803 or 0x0801, the dimensions, the bytes; all big-endian. */
final class IdxFiles {
    private IdxFiles() {}

    /** A pair of images and labels, each label showing in its image. */
    static void writePair(Path folder, String prefix, int count, int side) throws IOException {
        byte[] labels = new byte[count];
        byte[] images = new byte[count * side * side];
        Random random = new Random(7);
        for (int i = 0; i < count; i++) {
            labels[i] = (byte) random.nextInt(10);
            images[i * side * side + labels[i]] = (byte) 255;
        }
        Files.write(folder.resolve(prefix + "-images-idx3-ubyte"), images(count, side, images));
        Files.write(folder.resolve(prefix + "-labels-idx1-ubyte"), labels(count, labels));
    }

    static byte[] images(int count, int side, byte[] pixels) throws IOException {
        return file(0x0803, new int[]{count, side, side}, pixels);
    }

    static byte[] labels(int count, byte[] labels) throws IOException {
        return file(0x0801, new int[]{count}, labels);
    }

    private static byte[] file(int magic, int[] dimensions, byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(out);
        data.writeInt(magic);
        for (int dimension : dimensions) {
            data.writeInt(dimension);
        }
        data.write(bytes);
        return out.toByteArray();
    }
}
