package dev.verbena.benchmarks.report;

import java.util.List;

/**
 * Rows of a plot below each other, the first at place 0 and each other one lower, with their names to their left.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param names that fit into a line
 */
record Rows(List<String> names) {
    private static final double LETTER_WIDTH = 7.4;
    /** On each side of a name: short ones may have wide letters only. */
    private static final int GAP = 8;

    Axis y() {
        return new Axis(null, false, -names.size() + .5, .5, List.of(), String::valueOf);
    }

    /** The axis with room for the names on its left, in a plot of that width. */
    Axis withRoom(Axis x, int width) {
        return x.between(x.beyond(-room() / (width - room())), x.high());
    }

    private double room() {
        return names.stream().mapToInt(String::length).max().orElse(0) * LETTER_WIDTH + 2 * GAP;
    }

    /** Lines at the ticks and the names. */
    void draw(Axis x, int width, Layers layers) {
        for (double tick : x.ticks()) {
            layers.segment(tick, y().low(), tick, y().high(), Layers.RULE, .6);
        }
        double right = x.beyond(-GAP / (width - room()));
        for (int row = 0; row < names.size(); row++) {
            layers.text(right, -row, "right", names.get(row));
        }
    }
}
