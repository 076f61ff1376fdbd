package dev.verbena.training.data;

import java.util.stream.IntStream;

import dev.verbena.training.data.SeededRandom.Purpose;

/**
 * Draws digits of 28 x 28 pixels, so that training runs where there are no data: each with its own shift, size, rotation,
 * slant, stroke width, ink, shake of the hand, and noise. Only +, -, *, / and square roots, which Java rounds the same everywhere:
 * a seed gives the same bytes on every machine.
 *
 * <p><b>Owner:</b> whoever calls {@link #draw}. <b>Threading:</b> confined to that call.
 */
public final class SyntheticDigits {
    public static final int SIDE = 28;

    /** The picture being drawn: ink per pixel, 0 to 1. */
    private final float[] ink = new float[SIDE * SIDE];
    private final SeededRandom random;

    private SyntheticDigits(SeededRandom random) {
        this.random = random;
    }

    /**
     * Digits in random order, each class equally often; parts of the same seed are drawn independently, and not before their pixels are
     * wanted: who only plans, or keeps variables, needs none.
     */
    public static ImageSet draw(int count, long seed, int part) {
        byte[] labels = new byte[count];
        int[] order = new SeededRandom(seed, Purpose.DIGIT_ORDER, part).permutation(count);
        for (int i = 0; i < count; i++) {
            labels[i] = (byte) (order[i] % DigitStrokes.DIGITS);
        }
        return new ImageSet(new DrawnPixels(() -> pixels(labels, seed, part)), labels, SIDE * SIDE,
                IntStream.range(0, count).toArray());
    }

    private static byte[] pixels(byte[] labels, long seed, int part) {
        byte[] pixels = new byte[labels.length * SIDE * SIDE];
        for (int i = 0; i < labels.length; i++) {
            SeededRandom random = new SeededRandom(seed, Purpose.DIGIT, (long) part << 32 | i);
            new SyntheticDigits(random).draw(labels[i], pixels, i * SIDE * SIDE);
        }
        return pixels;
    }

    private void draw(int digit, byte[] pixels, int offset) {
        Hand hand = new Hand(random);
        for (DigitStrokes.Stroke stroke : DigitStrokes.of(digit)) {
            float[] points = hand.placed(stroke, random);
            for (int i = 0; i + 3 < points.length; i += 2) {
                drawLine(points[i], points[i + 1], points[i + 2], points[i + 3], hand.radius);
            }
        }
        float noise = random.nextFloat(.02f, .25f);
        for (int i = 0; i < ink.length; i++) {
            float value = ink[i] * hand.blackness + noise * (random.nextFloat() + random.nextFloat() - 1);
            pixels[offset + i] = (byte) (255 * Math.clamp(value, 0f, 1f) + .5f);
        }
    }

    /** Darkens each pixel near the line by how near its centre is: 1 on it, falling to 0 over a pixel at the rim. */
    private void drawLine(float x0, float y0, float x1, float y1, float radius) {
        int left = pixel(Math.min(x0, x1) - radius - 1);
        int right = pixel(Math.max(x0, x1) + radius + 1);
        int top = pixel(Math.min(y0, y1) - radius - 1);
        int bottom = pixel(Math.max(y0, y1) + radius + 1);
        float dx = x1 - x0;
        float dy = y1 - y0;
        float lengthSquared = Math.max(dx * dx + dy * dy, 1e-6f);
        for (int y = top; y <= bottom; y++) {
            for (int x = left; x <= right; x++) {
                float t = Math.clamp(((x - x0) * dx + (y - y0) * dy) / lengthSquared, 0f, 1f);
                float awayX = x - x0 - t * dx;
                float awayY = y - y0 - t * dy;
                float distance = (float) Math.sqrt(awayX * awayX + awayY * awayY);
                float value = Math.clamp(radius + .5f - distance, 0f, 1f);
                ink[y * SIDE + x] = Math.max(ink[y * SIDE + x], value);
            }
        }
    }

    private static int pixel(float coordinate) {
        return Math.clamp((int) coordinate, 0, SIDE - 1);
    }

    /** How one digit is written: a map from the unit square to pixels, and the pen. */
    private static final class Hand {
        private static final int SMOOTHING_ROUNDS = 2;
        private static final float SHAKE = .06f;

        final float radius;
        final float blackness;
        private final float width;
        private final float height;
        private final float slant;
        private final float cosine;
        private final float sine;
        private final float centreX;
        private final float centreY;

        Hand(SeededRandom random) {
            radius = random.nextFloat(.6f, 1.6f);
            blackness = random.nextFloat(.6f, 1f);
            width = random.nextFloat(9, 16);
            height = random.nextFloat(14, 20);
            slant = random.nextFloat(-.3f, .3f);
            // Half the angle's tangent gives both without a trigonometric function.
            float tangent = random.nextFloat(-.14f, .14f);
            cosine = (1 - tangent * tangent) / (1 + tangent * tangent);
            sine = 2 * tangent / (1 + tangent * tangent);
            centreX = SIDE / 2f + random.nextFloat(-2.5f, 2.5f);
            centreY = SIDE / 2f + random.nextFloat(-2.5f, 2.5f);
        }

        /** The stroke's points in pixels. */
        float[] placed(DigitStrokes.Stroke stroke, SeededRandom random) {
            float[] points = stroke.points().clone();
            for (int i = 0; i < points.length; i++) {
                points[i] += random.nextFloat(-SHAKE, SHAKE);
            }
            for (int round = 0; stroke.curved() && round < SMOOTHING_ROUNDS; round++) {
                points = DigitStrokes.smoothed(points);
            }
            for (int i = 0; i < points.length; i += 2) {
                float y = (points[i + 1] - .5f) * height;
                float x = (points[i] - .5f) * width - slant * y;
                points[i] = centreX + cosine * x - sine * y;
                points[i + 1] = centreY + sine * x + cosine * y;
            }
            return points;
        }
    }
}
