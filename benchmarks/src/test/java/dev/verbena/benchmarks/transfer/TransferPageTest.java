package dev.verbena.benchmarks.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.benchmarks.report.ShownPage;

/** The page of figures that are made up. */
class TransferPageTest {
    private static final int ROUNDS = 3;

    /** Each way takes longer than the one before, and some are nearly the same. */
    private static TransferFigures figures(List<Long> byteSizes) {
        TransferFigures figures = new TransferFigures(Route.here(null));
        for (long byteSize : byteSizes) {
            for (int round = 0; round < ROUNDS; round++) {
                for (Way way : Way.values()) {
                    for (Work work : Work.values()) {
                        if (byteSize <= way.byteSizeMax) {
                            figures.add(way, work, byteSize, us(way, byteSize) * (1 + .1 * round));
                        }
                    }
                }
                figures.addCopy(byteSize, byteSize / 2e4 + .01);
            }
        }
        return figures;
    }

    private static double us(Way way, long byteSize) {
        return way == Way.PLACED ? 3 : 2 + way.ordinal() / 3 * 2 + byteSize / 2e4 * (1 + way.ordinal());
    }

    private static RawPutFigures puts() {
        RawPutFigures puts = new RawPutFigures();
        for (Put put : Put.ALL) {
            puts.add(put, put.isLatency() ? .05 : 40_000, put.isLatency() ? .08 : 50_000);
            puts.add(put, put.isLatency() ? .06 : 41_000, put.isLatency() ? .07 : 52_000);
        }
        return puts;
    }

    @Test
    void eachWayIsDrawnAndNoLabelsOverlap(@TempDir Path folder) throws Exception {
        TransferFigures figures = figures(TransferBenchmark.BYTE_SIZES);
        figures.add(puts());
        ShownPage shown = ShownPage.open(TransferPage.of(figures, false), folder);
        assertEquals(Work.values().length * (Way.values().length + 1), shown.lines());
        int names = Work.values().length * (Way.values().length + 1);
        assertTrue(shown.labels() > names + figures.goals().size(), "labels: " + shown.labels());
    }

    @Test
    void tablesHaveAllMediansAndTargetsTheirVerdicts() throws Exception {
        TransferFigures figures = figures(TransferBenchmark.BYTE_SIZES);
        figures.add(puts());
        String page = TransferPage.of(figures, false);
        ShownPage.assertNothingIsFetched(page);
        for (Way way : Way.values()) {
            assertEquals(Work.values().length, page.split("<th scope=\"row\">" + way.label + "</th>", -1).length - 1,
                    way.label);
        }
        assertTrue(page.contains("<th scope=\"row\">latency of a raw put / UCX's, 8 B</th><td>MISSED</td>"), page);
        assertTrue(page.contains("<td>met</td>"), page);
        assertEquals(figures.targets().size(), figures.goals().size());
        assertFalse(page.contains("quick run"), page);
    }

    /** Of a machine with little memory, without UCX, and of one size. */
    @Test
    void whatIsMissingIsLeftOutByName(@TempDir Path folder) throws Exception {
        TransferFigures figures = new TransferFigures(Route.here(null));
        figures.addCopy(64, .01);
        figures.add(Way.STATIC, Work.LAST, 64, 1);
        figures.leaveOut(Way.UCX, "jucx cannot be <loaded>");
        RawPutFigures puts = new RawPutFigures();
        puts.leaveOut("it is not installed");
        figures.add(puts);
        String page = TransferPage.of(figures, true);
        assertTrue(page.contains("UCX, by jucx is left out: jucx cannot be &lt;loaded&gt;"), page);
        assertTrue(page.contains("Raw puts are left out: it is not installed"), page);
        assertTrue(page.contains("A quick run"), page);
        ShownPage.open(page, folder);
    }
}
