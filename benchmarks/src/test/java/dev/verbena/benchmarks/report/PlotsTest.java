package dev.verbena.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

/** What plots are made of. */
class PlotsTest {
    @Test
    void labelsThatWouldOverlapStandTogetherAroundWhereTheyWantToBe() {
        assertArrayEquals(new double[]{2, 4.5, 5.5, 9}, LabelColumn.places(new double[]{2, 5, 5, 9}, 1, 0, 10));
        assertArrayEquals(new double[]{8.5, 9.5}, LabelColumn.places(new double[]{20, 30}, 1, 0, 10));
        assertArrayEquals(new double[]{.5, 1.5}, LabelColumn.places(new double[]{-3, -3}, 1, 0, 10));
    }

    @Test
    void axesHaveRoundTicks() {
        assertEquals(List.of(0., 50., 100.), Axis.linear("", 112, Quantity::number).ticks());
        assertEquals(List.of(.1, 1., 10.), Axis.logarithmic("", .05, 20, Quantity::number).ticks());
        assertEquals(List.of(1., 10.), Axis.logarithmic("", .05, 20, Quantity::number).between(.5, 30).ticks());
    }

    @Test
    void aMarginIsLargerWhereMoreOfTheTargetIsReached() {
        Spread value = Spread.of(List.of(2., 4., 3.));
        assertEquals(new Spread(1, 1.5, 2), new Goal("", value, 2, true, "").margin());
        assertEquals(new Spread(.5, 2. / 3, 1), new Goal("", value, 2, false, "").margin());
    }

    @Test
    void onlyWhatIsMetOrMissedByAFactorIsDrawn() {
        Spread value = Spread.of(List.of(2., 4., 3.));
        assertTrue(new Goal("", value, 2, false, Goal.verdict(true)).isComparable());
        assertTrue(new Goal("", value, 2, false, Goal.verdict(false)).isComparable());
        assertFalse(new Goal("", value, 2, false, "not here").isComparable());
        assertFalse(new Goal("", Spread.of(List.of()), 2, false, Goal.verdict(false)).isComparable());
        assertFalse(new Goal("", value, 0, false, Goal.verdict(false)).isComparable());
    }

    @Test
    void looksDifferInMoreThanColour() {
        for (int i = 0; i < 5; i++) {
            assertEquals("solid", Look.ours(i).dashes());
            assertEquals("dashed", Look.others(i).dashes());
        }
        assertEquals(12, IntStream.range(0, 12)
                .mapToObj(i -> i < 5 ? Look.ours(i) : Look.others(i - 5)).map(Look::shape).distinct().count());
    }

    @Test
    void namesAreText() {
        BarPlot plot = new BarPlot("a <b> & \"c\"", 400, Axis.linear(null, 10, Quantity::number), 0, Quantity::number);
        plot.row("x <i>", new BarPlot.Bar(Look.BLUE, Spread.of(List.of(3., 5., 4.))));
        String svg = plot.svg();
        assertTrue(svg.contains("aria-label=\"a &lt;b&gt; &amp; &quot;c&quot;\""), svg);
        assertTrue(svg.contains("x &lt;i&gt;"), svg);
        assertFalse(svg.contains("<b>") || svg.contains("<i>"), svg);
    }
}
