package dev.verbena.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What pages are checked for is seen where it is. */
class ShownPageTest {
    private static String page(String plot) {
        BenchmarkPage page = new BenchmarkPage("page", false);
        page.figure("figure", List.of("<svg class=\"plot\" viewBox=\"0 0 300 100\">" + plot + "</svg>\n"));
        return page.end();
    }

    @Test
    void labelsThatMeetOrLeaveTheirPlotAreSeen(@TempDir Path folder) throws Exception {
        String one = "<text x=\"20\" y=\"50\">one label</text><path fill=\"none\" d=\"M0 0 L9 9\"/>";
        ShownPage shown = ShownPage.open(page(one), folder);
        assertEquals(1, shown.labels());
        assertEquals(1, shown.lines());
        String said = assertThrows(AssertionError.class, () -> ShownPage.open(
                page(one + "<text x=\"40\" y=\"52\">another</text><text x=\"290\" y=\"90\">far right</text>"), folder))
                .getMessage();
        assertTrue(said.contains("one label meets another"), said);
        assertTrue(said.contains("far right leaves its plot"), said);
    }

    @Test
    void whatIsFetchedIsSeen() {
        for (String link : List.of("<a href=\"x\">", "<img src=\"x\">", "<a href=\"https://x\">", "<script>")) {
            assertThrows(AssertionError.class, () -> ShownPage.assertNothingIsFetched(page(link)));
        }
    }
}
