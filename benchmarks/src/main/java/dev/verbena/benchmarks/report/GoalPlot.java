package dev.verbena.benchmarks.report;

import java.util.List;

/**
 * Goals below each other, each a dot with a line from the least to the largest of the rounds; those to the right of 1 are met.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
final class GoalPlot {
    private static final int WIDTH = 980;
    private static final int ROW_HEIGHT = 17;
    private static final int AROUND = 78;
    /** With less room what stands around a plot does not fit. */
    private static final int ROWS_MIN = 3;
    /** Up to here there is room for more ticks than powers of ten. */
    private static final double RANGE_MAX = 1000;
    private static final List<Double> TICKS = List.of(.01, .02, .05, .1, .2, .5, 1., 2., 5., 10., 20., 50., 100.);
    private static final int DOT = 16;
    private static final int CROSS = 4;

    private GoalPlot() {}

    /** @param goals all comparable, and one at least */
    static String svg(String title, List<Goal> goals) {
        Rows names = new Rows(goals.stream().map(Goal::what).toList());
        Axis x = axis(goals);
        Layers layers = new Layers();
        names.draw(x, WIDTH, layers);
        layers.segment(1, names.y().low(), 1, names.y().high(), Layers.INK, .8);
        for (int row = 0; row < goals.size(); row++) {
            draw(goals.get(row), -row, layers);
        }
        return Svg.draw(title, WIDTH, ROW_HEIGHT * Math.max(goals.size(), ROWS_MIN) + AROUND, names.withRoom(x, WIDTH),
                names.y(), layers);
    }

    private static Axis axis(List<Goal> goals) {
        double low = goals.stream().mapToDouble(goal -> goal.margin().low()).min().orElseThrow();
        double high = goals.stream().mapToDouble(goal -> goal.margin().high()).max().orElseThrow();
        Axis powers = Axis.logarithmic("times as good as the target", Math.min(low, .5) / 1.1, Math.max(high, 2) * 1.1,
                Quantity::times);
        boolean isWide = powers.high() / powers.low() > RANGE_MAX;
        return isWide ? powers : new Axis(powers.title(), true, powers.low(), powers.high(), TICKS, powers.label())
                .between(powers.low(), powers.high());
    }

    private static void draw(Goal goal, double row, Layers layers) {
        Spread margin = goal.margin();
        String colour = goal.isMet() ? Look.BLUE : Look.VERMILION;
        layers.segment(margin.low(), row, margin.high(), row, colour, 1);
        layers.marks(new double[]{margin.median()}, new double[]{row}, colour, goal.isMet() ? DOT : CROSS);
    }
}
