package dev.verbena.djl;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.GZIPInputStream;

import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.training.dataset.ArrayDataset;
import ai.djl.training.dataset.Sampler;

/**
 * Digits of 28 by 28 pixels: those of MNIST where they lie beside the source tree, else strokes, ten kinds of them, on noise.
 *
 * @param pixels from 0 to 1
 */
record Digits(float[][] pixels, float[] labels) {
    static final int SIDE = 28;
    private static final int CLASSES = 10;
    private static final Path MNIST = Path.of(System.getProperty("verbena.home", "../.."))
            .resolve("../shared/data/mnist");
    private static final int IMAGES_MAGIC = 2051;
    private static final int LABELS_MAGIC = 2049;

    static Digits of(int count) {
        Path images = MNIST.resolve("t10k-images-idx3-ubyte.gz");
        return Files.exists(images) ? read(images, MNIST.resolve("t10k-labels-idx1-ubyte.gz"), count) : drawn(count);
    }

    private static Digits read(Path images, Path labels, int count) {
        Digits digits = new Digits(new float[count][SIDE * SIDE], new float[count]);
        try (DataInputStream pixels = open(images); DataInputStream names = open(labels)) {
            if (pixels.readInt() != IMAGES_MAGIC || pixels.readInt() < count || pixels.readInt() != SIDE
                    || pixels.readInt() != SIDE || names.readInt() != LABELS_MAGIC || names.readInt() < count) {
                throw new IOException(images + " has not " + count + " digits");
            }
            for (int i = 0; i < count; i++) {
                for (int j = 0; j < SIDE * SIDE; j++) {
                    digits.pixels[i][j] = pixels.readUnsignedByte() / 255f;
                }
                digits.labels[i] = names.readUnsignedByte();
            }
            return digits;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static DataInputStream open(Path file) throws IOException {
        InputStream compressed = Files.newInputStream(file);
        return new DataInputStream(new GZIPInputStream(compressed, 1 << 16));
    }

    /** A digit is a line whose angle says which. */
    static Digits drawn(int count) {
        Random random = new Random(1);
        Digits digits = new Digits(new float[count][SIDE * SIDE], new float[count]);
        for (int i = 0; i < count; i++) {
            int label = random.nextInt(CLASSES);
            double angle = Math.PI * label / CLASSES;
            double x = 14 + 3 * random.nextGaussian();
            double y = 14 + 3 * random.nextGaussian();
            for (int j = 0; j < SIDE * SIDE; j++) {
                double across = (j % SIDE - x) * Math.sin(angle) - (j / SIDE - y) * Math.cos(angle);
                digits.pixels[i][j] = (float) (Math.exp(-across * across) + 0.1 * random.nextDouble());
            }
            digits.labels[i] = label;
        }
        return digits;
    }

    ArrayDataset dataset(NDManager manager, Sampler sampler) {
        float[] all = new float[pixels.length * SIDE * SIDE];
        for (int i = 0; i < pixels.length; i++) {
            System.arraycopy(pixels[i], 0, all, i * SIDE * SIDE, SIDE * SIDE);
        }
        return new ArrayDataset.Builder().setData(manager.create(all, new Shape(pixels.length, 1, SIDE, SIDE)))
                .optLabels(manager.create(labels)).setSampling(sampler).build();
    }
}
