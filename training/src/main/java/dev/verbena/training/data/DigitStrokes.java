package dev.verbena.training.data;

/**
 * How each digit is written: strokes through control points (x, y) in a unit square, y downwards. A curved stroke is smoothed
 * by cutting its corners; it keeps its ends and only comes near the points between.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class DigitStrokes {
    static final int DIGITS = 10;

    /** A stroke: x0, y0, x1, y1, ... */
    record Stroke(boolean curved, float... points) {}

    private static final Stroke[][] STROKES = {
            {curve(.5f, .03f, .9f, .05f, .97f, .5f, .9f, .95f, .5f, .97f, .1f, .95f, .03f, .5f, .1f, .05f, .5f, .03f)},
            {line(.3f, .25f, .55f, .05f, .55f, .95f)},
            {curve(.15f, .3f, .2f, .02f, .8f, 0, .9f, .35f, .5f, .6f, .12f, .95f), line(.12f, .95f, .9f, .95f)},
            {curve(.15f, .1f, .8f, -.05f, .95f, .42f, .4f, .48f), curve(.4f, .48f, 1.05f, .5f, .95f, 1.05f, .1f, .9f)},
            {line(.65f, .95f, .65f, .05f, .1f, .65f, .92f, .65f)},
            {line(.85f, .05f, .25f, .05f, .2f, .45f), curve(.2f, .45f, .9f, .3f, 1.05f, .9f, .5f, 1.05f, .12f, .88f)},
            {curve(.75f, .05f, .2f, .25f, 0, .95f, .5f, 1, 1, .95f, .85f, .45f, .4f, .45f, .13f, .75f)},
            {line(.1f, .05f, .9f, .05f, .4f, .95f)},
            {curve(.5f, .48f, .05f, .4f, .1f, 0, .9f, 0, .95f, .4f, .5f, .48f),
                    curve(.5f, .48f, -.05f, .6f, .05f, 1, .95f, 1, 1.05f, .6f, .5f, .48f)},
            {curve(.87f, .25f, .75f, .55f, .1f, .6f, .08f, 0, .9f, -.05f, .87f, .4f, .8f, .75f, .6f, .95f)}};

    private DigitStrokes() {}

    static Stroke[] of(int digit) {
        return STROKES[digit];
    }

    /**
     * One round of cutting corners: each inner point is replaced by two, a quarter of the way to its neighbours.
     *
     * <p>Source: Chaikin, <i>An algorithm for high-speed curve generation</i>, 1974.
     */
    static float[] smoothed(float[] points) {
        int count = points.length / 2;
        float[] result = new float[4 * (count - 1)];
        int at = 0;
        for (int i = 0; i < count - 1; i++) {
            // The ends stay where they are.
            float first = i == 0 ? 0 : .25f;
            float second = i == count - 2 ? 1 : .75f;
            for (float share : new float[]{first, second}) {
                result[at++] = points[2 * i] + share * (points[2 * i + 2] - points[2 * i]);
                result[at++] = points[2 * i + 1] + share * (points[2 * i + 3] - points[2 * i + 1]);
            }
        }
        return result;
    }

    private static Stroke line(float... points) {
        return new Stroke(false, points);
    }

    private static Stroke curve(float... points) {
        return new Stroke(true, points);
    }
}
