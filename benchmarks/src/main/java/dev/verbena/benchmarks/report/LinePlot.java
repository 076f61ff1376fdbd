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
    private static final double LETTER_WIDTH = 7.4;
    private static final double LABEL_MARGIN = 8;
    /** Of the labels at the other axis. */
    private static final int AXIS_WIDTH = 100;
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
        labels(layers);
        return Svg.draw(title, width, HEIGHT, x.between(x.beyond(-GAP_SHARE), x.beyond(labelShare())), y, layers);
    }

    /** Of what is drawn, so much is beside it. */
    private double labelShare() {
        double room = lines.stream().mapToInt(line -> line.name.length()).max().orElse(0) * LETTER_WIDTH
                + LABEL_MARGIN;
        double panel = width - AXIS_WIDTH - room;
        return GAP_SHARE * 1.3 + room / panel;
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

    /** Where a line would leave the plot: with labels in that order, nothing crosses on the way to them. */
    private double end(Line line) {
        double last = y.place(line.last().y().median());
        if (line.points.size() == 1) {
            return last;
        }
        Point before = line.points.get(line.points.size() - 2);
        double slope = (last - y.place(before.y().median())) / (x.place(line.last().x()) - x.place(before.x()));
        return last + slope * (x.place(x.high()) - x.place(line.last().x()));
    }

    private void labels(Layers layers) {
        List<Line> byEnd = lines.stream().sorted(Comparator.comparing(this::end)).toList();
        double room = LABEL_HEIGHT / PANEL_HEIGHT * (y.place(y.high()) - y.place(y.low()));
        double[] places = LabelColumn.places(
                byEnd.stream().mapToDouble(this::end).toArray(), room, y.place(y.low()), y.place(y.high()));
        for (int i = 0; i < places.length; i++) {
            Line line = byEnd.get(i);
            layers.segment(line.last().x(), line.last().y().median(), x.beyond(GAP_SHARE), y.value(places[i]),
                    line.look.colour(), .4);
            layers.text(x.beyond(GAP_SHARE * 1.3), y.value(places[i]), "left", line.name);
        }
    }
}
