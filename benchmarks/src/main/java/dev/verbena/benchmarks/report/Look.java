package dev.verbena.benchmarks.report;

import java.util.List;

/**
 * How a line is told from others, also by people who do not see all colours: its colour (of Okabe and Ito's), its dashes and its marks. Ours
 * are solid with filled marks, all others are dashed with hollow ones.
 *
 * @param shape of its marks, as Lets-Plot and R count them; none if negative
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Look(String colour, String dashes, double width, int shape) {
    static final String BLUE = "#0072b2";
    static final String VERMILION = "#d55e00";
    /** What is compared with nothing, but shows what is possible. */
    public static final Look REFERENCE = new Look("#999999", "dotted", 1, -1);

    private static final List<String> OURS = List.of(BLUE, "#009e73", "#56b4e9", "#cc79a7", "#7f7f7f");
    private static final List<Integer> OUR_SHAPES = List.of(16, 15, 17, 18, 25);
    private static final List<String> OTHERS = List.of(VERMILION, "#e69f00", "#cc79a7", "#009e73", "#56b4e9", "#7f7f7f",
            BLUE);
    private static final List<Integer> OTHER_SHAPES = List.of(1, 0, 2, 5, 6, 4, 3);

    /** Of the n-th of ours; the first stands out. */
    public static Look ours(int n) {
        return new Look(OURS.get(n % OURS.size()), "solid", n == 0 ? 1.6 : 1, OUR_SHAPES.get(n % OUR_SHAPES.size()));
    }

    /** Of the n-th of the others. */
    public static Look others(int n) {
        return new Look(OTHERS.get(n % OTHERS.size()), "dashed", .8, OTHER_SHAPES.get(n % OTHER_SHAPES.size()));
    }
}
