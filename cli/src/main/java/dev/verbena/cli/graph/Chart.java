package dev.verbena.cli.graph;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Curves over the iterations of a training, drawn.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class Chart {
    /**
     * A point of a curve that something is said of.
     *
     * @param index of the value
     *
     * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
     */
    public record Dot(int index, String title) {}

    /**
     * What one kind of time took.
     *
     * @param kind what it is called, and its class in the page
     * @param pointsNs from the left to the right
     *
     * <p><b>Owner:</b> none. <b>Threading:</b> not changed by anybody.
     */
    public record Layer(String kind, long[] pointsNs) {}

    private static final int WIDTH = 1000;
    private static final int HEIGHT = 160;
    private static final int LEFT = 70;
    private static final int TOP = 8;
    private static final int FOOT = 18;
    /** More would not be seen. */
    private static final int POINTS_MAX = 1000;
    private static final double SHOWN_SHARE = .99;

    private Chart() {}

    /**
     * One line. Of more values than can be seen each point is the mean of some; what is no number is left out.
     *
     * @param from what is written at its left end
     * @param to likewise at the right
     */
    public static String curve(double[] values, List<Dot> dots, String from, String to) {
        int perPoint = Math.max(1, (values.length + POINTS_MAX - 1) / POINTS_MAX);
        double[] points = new double[(values.length + perPoint - 1) / perPoint];
        for (int i = 0; i < points.length; i++) {
            points[i] = Arrays.stream(values, i * perPoint, Math.min(values.length, (i + 1) * perPoint))
                    .filter(Double::isFinite).average().orElse(Double.NaN);
        }
        double max = Arrays.stream(points).filter(Double::isFinite).max().orElse(1);
        StringBuilder svg = begin(max, "%.4g", from, to);
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < points.length; i++) {
            if (Double.isFinite(points[i])) {
                path.append(path.isEmpty() ? "M" : "L").append(point(x(i, points.length), y(points[i], max)));
            }
        }
        svg.append("<path class=\"curve\" d=\"").append(path).append("\"/>\n");
        for (Dot dot : dots) {
            int index = Math.clamp(dot.index() / perPoint, 0, points.length - 1);
            double value = Double.isFinite(points[index]) ? points[index] : 0;
            svg.append(String.format(Locale.ROOT,
                    "<circle class=\"measured\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>%s</title></circle>%n",
                    x(index, points.length), y(value, max), GraphPage.text(dot.title())));
        }
        return svg.append("</svg>\n").toString();
    }

    /**
     * Layers on top of each other, the first at the bottom; in milliseconds.
     *
     * @param layers of as many points each
     * @param iterationsPerPoint of which each point is the mean
     */
    public static String stack(List<Layer> layers, int iterationsPerPoint) {
        int count = layers.getFirst().pointsNs().length;
        double[] sums = new double[count];
        layers.forEach(layer -> Arrays.setAll(sums, i -> sums[i] + layer.pointsNs()[i] / 1e6));
        double[] sorted = sums.clone();
        Arrays.sort(sorted);
        double max = count == 0 ? 1 : Math.max(1e-6, sorted[(int) ((count - 1) * SHOWN_SHARE)]);
        StringBuilder svg = begin(max, "%.4g ms", "", iterationsPerPoint == 1
                ? count + " iterations"
                : count + " points, each the mean of " + iterationsPerPoint + " iterations");
        double[] below = new double[count];
        for (Layer layer : layers) {
            StringBuilder path = new StringBuilder();
            for (int i = 0; i < count; i++) {
                double top = below[i] + layer.pointsNs()[i] / 1e6;
                double left = LEFT + (double) i / count * (WIDTH - LEFT);
                double right = LEFT + (i + 1.) / count * (WIDTH - LEFT);
                double low = y(Math.min(below[i], max), max);
                double high = y(Math.min(top, max), max);
                if (high < low) {
                    path.append("M").append(point(left, low)).append("V").append(number(high)).append("H")
                            .append(number(right)).append("V").append(number(low)).append("Z");
                }
                below[i] = top;
            }
            svg.append("<path class=\"").append(layer.kind()).append("\" d=\"").append(path).append("\"><title>")
                    .append(layer.kind()).append("</title></path>\n");
        }
        return svg.append("</svg>\n").toString();
    }

    /** With its frame: 0 at the bottom, the largest value at the top. */
    private static StringBuilder begin(double max, String format, String from, String to) {
        return new StringBuilder(String.format(Locale.ROOT,
                "<svg class=\"chart\" viewBox=\"0 0 %d %d\">%n<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>%n"
                        + "<text x=\"%d\" y=\"%d\">%s</text><text x=\"%d\" y=\"%d\">0</text>"
                        + "<text class=\"left\" x=\"%d\" y=\"%d\">%s</text><text x=\"%d\" y=\"%d\">%s</text>%n",
                WIDTH + 8, HEIGHT, LEFT, TOP, WIDTH - LEFT, HEIGHT - TOP - FOOT, LEFT - 6, TOP + 10,
                String.format(Locale.ROOT, format, max), LEFT - 6, HEIGHT - FOOT, LEFT, HEIGHT - 4,
                GraphPage.text(from), WIDTH, HEIGHT - 4, GraphPage.text(to)));
    }

    private static double x(int index, int count) {
        return count == 1 ? LEFT : LEFT + (double) index / (count - 1) * (WIDTH - LEFT);
    }

    private static double y(double value, double max) {
        return HEIGHT - FOOT - value / max * (HEIGHT - TOP - FOOT);
    }

    private static String point(double x, double y) {
        return number(x) + " " + number(y);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
