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
    private static final int FOOT = 52;

    private GoalPlot() {}

    /** @param goals all comparable, and one at least */
    static String svg(String title, List<Goal> goals) {
        double low = goals.stream().mapToDouble(goal -> goal.margin().low()).min().orElseThrow();
        double high = goals.stream().mapToDouble(goal -> goal.margin().high()).max().orElseThrow();
        List<Double> ticks = List.of(.1, .2, .5, 1., 2., 5., 10., 20., 50., 100.);
        Axis x = new Axis("times as good as the target", true, Math.min(low, .5) / 1.2, Math.max(high, 2) * 1.2, ticks,
                value -> Quantity.number(value) + "×");
        int count = goals.size();
        Axis y = new Axis(null, false, -count + .5, .5,
                java.util.stream.IntStream.range(0, count).mapToObj(row -> -(double) row).toList(),
                place -> goals.get((int) -place).what());
        Layers layers = new Layers();
        ticks.stream().filter(tick -> tick > x.low() && tick < x.high())
                .forEach(tick -> layers.segment(tick, y.low(), tick, y.high(), Layers.RULE, .6));
        layers.segment(1, y.low(), 1, y.high(), Layers.INK, .8);
        for (int row = 0; row < count; row++) {
            Goal goal = goals.get(row);
            Spread margin = goal.margin();
            String colour = goal.isMet() ? Look.BLUE : Look.VERMILION;
            layers.segment(margin.low(), -row, margin.high(), -row, colour, 1.2);
            layers.marks(new double[]{margin.median()}, new double[]{-row}, colour, goal.isMet() ? 16 : 4);
        }
        return Svg.draw(title, WIDTH, ROW_HEIGHT * count + FOOT, x, y, layers);
    }
}
