package dev.verbena.benchmarks.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * Bars from the left to the right, in rows, each as long as a median and with a line from the least to the largest of the rounds.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
public final class BarPlot {
    private static final int BAR_HEIGHT = 17;
    /** In less room, ticks have none for their labels. */
    private static final int BARS_MIN = 3;
    private static final int HEAD = 26;
    private static final int FOOT = 34;
    private static final int TITLE_HEIGHT = 18;
    /** What is written behind the longest bar needs so much of its length. */
    private static final double LABEL_SHARE = .3;
    /** Of the room of a row, the bars have so much. */
    private static final double SHARE = .76;

    /**
     * One of a row.
     *
     * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
     */
    public record Bar(String colour, Spread length) {}

    private record Row(String name, List<Bar> bars) {}

    private final String title;
    private final int width;
    private final Axis x;
    private final double from;
    private final DoubleFunction<String> label;
    private final List<Row> rows = new ArrayList<>();

    /**
     * @param width in pixels where there is room for them
     * @param x with room behind the longest bar for what is written there
     * @param from where bars begin
     * @param label what is written behind a bar
     */
    public BarPlot(String title, int width, Axis x, double from, DoubleFunction<String> label) {
        this.title = title;
        this.width = width;
        this.x = x;
        this.from = from;
        this.label = label;
    }

    /** Of values from {@code low} to {@code high}; bars begin at the power of ten below. */
    public static BarPlot logarithmic(String title, int width, double low, double high, DoubleFunction<String> label) {
        double from = Math.pow(10, Math.floor(Math.log10(low)));
        double end = Math.max(high, 2 * from);
        return new BarPlot(title, width,
                Axis.logarithmic(null, from, end * Math.pow(end / from, LABEL_SHARE), label), from, label);
    }

    /** Below those before. */
    public void row(String name, Bar... bars) {
        rows.add(new Row(name, Arrays.asList(bars)));
    }

    /** Draws it. */
    public String svg() {
        Rows names = new Rows(rows.stream().map(Row::name).toList());
        Layers layers = new Layers();
        names.draw(x, width, layers);
        int bars = 0;
        for (int i = 0; i < rows.size(); i++) {
            draw(rows.get(i), -i, layers);
            bars += rows.get(i).bars.size();
        }
        layers.segment(from, names.y().low(), from, names.y().high(), Layers.INK, .6);
        int foot = x.title() == null ? FOOT : FOOT + TITLE_HEIGHT;
        return Svg.draw(title, width, HEAD + BAR_HEIGHT * Math.max(BARS_MIN, bars) + foot, names.withRoom(x, width),
                names.y(), layers);
    }

    private void draw(Row row, double place, Layers layers) {
        double height = SHARE / row.bars.size();
        double top = place + SHARE / 2;
        for (Bar bar : row.bars) {
            double middle = top - height / 2;
            Spread length = bar.length;
            layers.bar(Math.min(from, length.median()), top - height * .92, Math.max(from, length.median()), top,
                    bar.colour);
            layers.segment(length.low(), middle, length.high(), middle, Layers.INK, .8);
            layers.text(x.value(x.place(Math.max(from, length.high())) + .015 * (x.place(x.high()) - x.place(x.low()))),
                    middle, "left", label.apply(length.median()));
            top -= height;
        }
    }
}
