package dev.verbena.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.verbena.page.Browser;

/** A page with plots as a real browser has it. */
public final class ShownPage {
    /** Not in one of the plots' random names. */
    private static final Pattern NOT_A_NUMBER = Pattern.compile("\\bNaN\\b");
    private static final Pattern FETCHED = Pattern
            .compile("(?:src|href)=\"(?!data:)|url\\((?!#)|@import|https?:|<script");
    /** Asks the browser where each label is and how long each line, which only it knows. */
    private static final String LOOK = """
            <script>
            const boxes = plot => [...plot.querySelectorAll('text')].map(each => [each.textContent.trim(), each.getBoundingClientRect(), opening(each)]);
            const opening = text => {
              const within = text.closest('[clip-path]');
              if (!within) return null;
              const [x, y, width, height] = ['x', 'y', 'width', 'height'].map(name =>
                Number(document.querySelector(within.getAttribute('clip-path').slice(4, -1) + ' rect').getAttribute(name)));
              const to = within.getScreenCTM();
              return { left: to.a * x + to.e, right: to.a * (x + width) + to.e, top: to.d * y + to.f, bottom: to.d * (y + height) + to.f };
            };
            const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
            const outside = (a, b) => a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1;
            const wrong = [];
            let labels = 0, lines = 0;
            document.querySelectorAll('.plot').forEach(plot => {
              const all = boxes(plot), frame = plot.getBoundingClientRect();
              labels += all.length;
              all.forEach(([name, box, opening], i) => {
                if (outside(box, frame)) wrong.push(name + ' leaves its plot');
                if (opening && outside(box, opening)) wrong.push(name + ' is cut off');
                all.slice(i + 1).filter(other => meet(box, other[1])).forEach(other => wrong.push(name + ' meets ' + other[0]));
              });
              lines += [...plot.querySelectorAll('path[fill="none"], polyline')].filter(each => each.getTotalLength() > 1).length;
            });
            document.body.dataset.looked = labels + ' ' + lines + ' ' + wrong.length + ' ' + wrong.join('; ');
            </script>
            """;

    private final int labels;
    private final int lines;

    private ShownPage(int labels, int lines) {
        this.labels = labels;
        this.lines = lines;
    }

    /** Nothing of it comes from elsewhere, no labels overlap or are cut off, and the browser does not complain. */
    public static ShownPage open(String page, Path folder) throws Exception {
        assertNothingIsFetched(page);
        Browser browser = Browser.find();
        String shown = browser.show(page.replace("</body>", LOOK + "</body>"), folder);
        Matcher looked = Pattern.compile("data-looked=\"(\\d+) (\\d+) (\\d+) ([^\"]*)\"").matcher(shown);
        assertTrue(looked.find(), "its script has not come to its end");
        assertEquals("0", looked.group(3), looked.group(4));
        return new ShownPage(Integer.parseInt(looked.group(1)), Integer.parseInt(looked.group(2)));
    }

    /** Also where there is no browser. */
    public static void assertNothingIsFetched(String page) {
        List<String> found = FETCHED.matcher(page).results().map(match -> match.group()).toList();
        assertEquals(List.of(), found);
        assertFalse(NOT_A_NUMBER.matcher(page).find(), page);
    }

    public int labels() {
        return labels;
    }

    /** That are not straight ones between two points. */
    public int lines() {
        return lines;
    }
}
