package dev.verbena.benchmarks.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Lines through medians, with a bar at each from the least to the largest of the rounds, and their names at their ends.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
public final class LinePlot {
    private static final int HEIGHT = 480;
    /** Above and below of what is drawn are the axis and its title. */
    private static final int PANEL_HEIGHT = 410;
    private static final double LABEL_HEIGHT = 16;
    private static final double LABEL_SHARE = .26;
    private static final double GAP_SHARE = .025;

    /**
     * Of a line.
     *
     * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
     */
    public record Point(double x, Spread y) {}

    private record Line(String name, Look look, List<Point> points) {
        Point last() {
            return points.getLast();
        }

        double[] x() {
            return points.stream().mapToDouble(Point::x).toArray();
        }

        double[] y() {
            return points.stream().mapToDouble(point -> point.y().median()).toArray();
        }
    }

    private final String title;
    private final int width;
    private final Axis x;
    private final Axis y;
    private final List<Line> lines = new ArrayList<>();

    /** @param width in pixels where there is room for them */
    public LinePlot(String title, int width, Axis x, Axis y) {
        this.title = title;
        this.width = width;
        this.x = x;
        this.y = y;
    }

    /** @param points from the left to the right; without any the line is left out */
    public void line(String name, Look look, List<Point> points) {
        if (!points.isEmpty()) {
            lines.add(new Line(name, look, points));
        }
    }

    /** Draws it. */
    public String svg() {
        Layers layers = new Layers();
        x.ticks().forEach(tick -> layers.segment(tick, y.low(), tick, y.high(), Layers.RULE, .6));
        y.ticks().forEach(tick -> layers.segment(x.low(), tick, x.high(), tick, Layers.RULE, .6));
        lines.forEach(line -> draw(line, layers));
        double[] labels = labels(layers);
        return Svg.draw(title, width, HEIGHT, roomFor(x, x.beyond(-GAP_SHARE), x.beyond(LABEL_SHARE)),
                roomFor(y, Math.min(y.low(), labels[0]), Math.max(y.high(), labels[1])), layers);
    }

    private static void draw(Line line, Layers layers) {
        Look look = line.look;
        layers.line(line.x(), line.y(), look);
        if (look.shape() < 0) {
            return;
        }
        for (Point point : line.points) {
            layers.segment(point.x(), point.y().low(), point.x(), point.y().high(), look.colour(), look.width());
        }
        layers.marks(line.x(), line.y(), look.colour(), look.shape());
    }

    /** @return from where to where they need room */
    private double[] labels(Layers layers) {
        List<Line> byEnd = lines.stream().sorted(Comparator.comparing(line -> line.last().y().median())).toList();
        double room = LABEL_HEIGHT / PANEL_HEIGHT * (y.place(y.high()) - y.place(y.low()));
        double[] places = LabelColumn.places(
                byEnd.stream().mapToDouble(line -> y.place(line.last().y().median())).toArray(), room);
        for (int i = 0; i < places.length; i++) {
            Line line = byEnd.get(i);
            layers.segment(line.last().x(), line.last().y().median(), x.beyond(GAP_SHARE), y.value(places[i]),
                    line.look.colour(), .4);
            layers.text(x.beyond(GAP_SHARE * 1.3), y.value(places[i]), line.name);
        }
        return new double[]{y.value(places[0] - room / 2), y.value(places[places.length - 1] + room / 2)};
    }

    private static Axis roomFor(Axis axis, double low, double high) {
        return new Axis(axis.title(), axis.isLogarithmic(), low, high, axis.ticks(), axis.label());
    }
}
