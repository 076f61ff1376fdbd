package dev.verbena.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * What is drawn in a plot, from the back to the front, as Lets-Plot's specifications say it: in coordinates of the data.
 *
 * <p><b>Owner:</b> the plot. <b>Threading:</b> confined to its owner.
 */
final class Layers {
    /** The two colours that a page replaces by those of light and dark: see {@code benchmark.css}. */
    static final String INK = "#222222";
    static final String RULE = "#e9e9e9";

    private static final int FONT_SIZE = 6;

    private final List<Map<String, Object>> layers = new ArrayList<>();

    List<Map<String, Object>> specifications() {
        return layers;
    }

    void segment(double fromX, double fromY, double toX, double toY, String colour, double width) {
        layer("segment", Map.of("x", List.of(fromX), "y", List.of(fromY), "xend", List.of(toX), "yend", List.of(toY)),
                Map.of("color", colour, "size", width));
    }

    void line(double[] x, double[] y, Look look) {
        layer("line", Map.of("x", list(x), "y", list(y)),
                Map.of("color", look.colour(), "linetype", look.dashes(), "size", look.width()));
    }

    void marks(double[] x, double[] y, String colour, int shape) {
        layer("point", Map.of("x", list(x), "y", list(y)),
                Map.of("color", colour, "fill", colour, "shape", shape, "size", 3));
    }

    void bar(double fromX, double fromY, double toX, double toY, String colour) {
        layer("rect", Map.of("xmin", List.of(fromX), "ymin", List.of(fromY), "xmax", List.of(toX), "ymax",
                List.of(toY)), Map.of("fill", colour, "color", colour, "size", 0));
    }

    /** @param side "left" if its left end is at the place, or "right" */
    void text(double x, double y, String side, String text) {
        layer("text", Map.of("x", List.of(x), "y", List.of(y), "label", List.of(text)),
                Map.of("hjust", side, "color", INK, "size", FONT_SIZE));
    }

    private void layer(String geometry, Map<String, List<?>> data, Map<String, Object> constants) {
        Map<String, Object> mapping = new LinkedHashMap<>();
        data.keySet().forEach(name -> mapping.put(name, name));
        Map<String, Object> layer = new LinkedHashMap<>(constants);
        layer.putAll(Map.of("geom", geometry, "stat", "identity", "position", "identity", "data", data, "mapping",
                mapping, "tooltips", "none", "show_legend", false));
        layers.add(layer);
    }

    private static List<Double> list(double[] values) {
        return DoubleStream.of(values).boxed().toList();
    }
}
