package dev.verbena.training.data;

import java.util.stream.IntStream;

import dev.verbena.training.ImageShape;
import dev.verbena.training.data.SeededRandom.Purpose;

/**
 * Draws images of any size for models that are made for photographs: each class has a pattern of its own, squares of some shades in each
 * channel, and each image a place, a contrast and noise of its own. Only +, -, * and /: a seed gives the same bytes on every machine.
 *
 * <p><b>Owner:</b> whoever calls {@link #draw}. <b>Threading:</b> confined to that call.
 */
public final class SyntheticImages {
    private static final int CLASSES = 10;
    /** Squares of a pattern, across and down. */
    private static final int SQUARES = 8;
    /** Most that noise adds or takes away, of 255. */
    private static final int NOISE = 48;

    private final ImageShape shape;
    private final long seed;
    private final int part;

    private SyntheticImages(ImageShape shape, long seed, int part) {
        this.shape = shape;
        this.seed = seed;
        this.part = part;
    }

    /**
     * Images in random order, each class equally often; parts of the same seed have the same patterns and are drawn independently, not before
     * their pixels are wanted.
     */
    public static ImageSet draw(ImageShape shape, int count, long seed, int part) {
        byte[] labels = new byte[count];
        int[] order = new SeededRandom(seed, Purpose.IMAGE_ORDER, part).permutation(count);
        for (int i = 0; i < count; i++) {
            labels[i] = (byte) (order[i] % CLASSES);
        }
        SyntheticImages images = new SyntheticImages(shape, seed, part);
        return new ImageSet(new DrawnPixels(() -> images.pixels(labels)), labels, shape.featureCount(),
                IntStream.range(0, count).toArray());
    }

    private byte[] pixels(byte[] labels) {
        byte[] pixels = new byte[Math.multiplyExact(labels.length, shape.featureCount())];
        float[][] patterns = new float[CLASSES][];
        for (int i = 0; i < CLASSES; i++) {
            patterns[i] = pattern(i);
        }
        for (int i = 0; i < labels.length; i++) {
            draw(patterns[labels[i]], new SeededRandom(seed, Purpose.IMAGE, (long) part << 32 | i), pixels,
                    i * shape.featureCount());
        }
        return pixels;
    }

    private float[] pattern(int index) {
        SeededRandom random = new SeededRandom(seed, Purpose.IMAGE_CLASS, index);
        float[] squares = new float[shape.channels() * SQUARES * SQUARES];
        for (int i = 0; i < squares.length; i++) {
            squares[i] = random.nextFloat(-100, 100);
        }
        return squares;
    }

    private void draw(float[] pattern, SeededRandom random, byte[] pixels, int offset) {
        float contrast = random.nextFloat(.6f, 1.2f);
        int down = random.nextInt(Math.ceilDiv(shape.rows(), SQUARES));
        int right = random.nextInt(Math.ceilDiv(shape.columns(), SQUARES));
        int to = offset;
        for (int channel = 0; channel < shape.channels(); channel++) {
            for (int y = 0; y < shape.rows(); y++) {
                int line = (channel * SQUARES + (y + down) * SQUARES / shape.rows() % SQUARES) * SQUARES;
                for (int x = 0; x < shape.columns(); x++) {
                    float square = pattern[line + (x + right) * SQUARES / shape.columns() % SQUARES];
                    float value = 128 + contrast * square + random.nextInt(2 * NOISE + 1) - NOISE;
                    pixels[to++] = (byte) Math.clamp(Math.round(value), 0, 255);
                }
            }
        }
    }
}
