package dev.verbena.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.verbena.benchmarks.Figures.Key;
import dev.verbena.benchmarks.report.Axis;
import dev.verbena.benchmarks.report.BarPlot;
import dev.verbena.benchmarks.report.BarPlot.Bar;
import dev.verbena.benchmarks.report.BenchmarkPage;
import dev.verbena.benchmarks.report.LinePlot;
import dev.verbena.benchmarks.report.LinePlot.Point;
import dev.verbena.benchmarks.report.Look;
import dev.verbena.benchmarks.report.Quantity;
import dev.verbena.benchmarks.report.Spread;
import dev.verbena.benchmarks.report.Table;

/**
 * Allocators side by side, as a page.
 *
 * <p><b>Owner:</b> {@link AllocatorBenchmark}. <b>Threading:</b> confined to its thread.
 */
final class AllocatorPage {
    private static final int PANEL_WIDTH = 485;
    /** Of others; ours begin with another word. */
    private static final List<String> FAMILIES = List.of("mimalloc", "netty", "confined");
    private static final String OURS = "verbena";

    private final Report report;
    private final Figures figures;
    private final BenchmarkPage page;

    private AllocatorPage(Report report) {
        this.report = report;
        this.figures = report.figures();
        this.page = new BenchmarkPage("Allocators of off-heap memory", report.isQuick());
    }

    static String of(Report report) throws IOException {
        return new AllocatorPage(report).page();
    }

    private String page() throws IOException {
        pairs();
        threads();
        page.goals(report.goals());
        report.notes().forEach(page::note);
        explanations();
        table();
        page.machine(Machine.toMap(), report.peers());
        return page.end();
    }

    private void pairs() {
        List<String> plots = Stream.of(Measure.PAIR, Measure.HAND_OVER).filter(measure -> !keys(measure).isEmpty())
                .map(this::pairs).toList();
        if (!plots.isEmpty()) {
            page.figure("Time of a pair of allocate and free, by who allocates, on a logarithmic axis: less is better. "
                    + "Lines: from the least to the largest of the rounds.", plots);
        }
    }

    private List<Key> keys(Measure measure) {
        return figures.rounds().keySet().stream().filter(key -> key.measure() == measure)
                .filter(key -> figures.spread(key).isPositive())
                .sorted(Comparator.comparing(figures::median)).toList();
    }

    private String pairs(Measure measure) {
        List<Key> keys = keys(measure);
        double low = keys.stream().mapToDouble(key -> figures.spread(key).low()).min().orElseThrow();
        double high = keys.stream().mapToDouble(key -> figures.spread(key).high()).max().orElseThrow();
        BarPlot plot = BarPlot.logarithmic(measure.title, PANEL_WIDTH, low, high, AllocatorPage::time);
        for (Key key : keys) {
            plot.row(key.subject(), new Bar(look(key.subject()).colour(), figures.spread(key)));
        }
        return plot.svg();
    }

    private static String time(double ns) {
        return Quantity.time(ns / 1e3);
    }

    private static Look look(String subject) {
        return subject.startsWith(OURS) ? Look.ours(0) : Look.others(IntStream.range(0, FAMILIES.size())
                .filter(family -> subject.startsWith(FAMILIES.get(family))).findFirst().orElse(FAMILIES.size()));
    }

    private void threads() {
        List<String> plots = new ArrayList<>();
        for (Replacement replacement : List.of(Replacement.SMALL, Replacement.LARGE)) {
            double high = ThreadTable.SUBJECTS.stream().flatMap(subject -> points(replacement, subject).stream())
                    .mapToDouble(point -> point.y().high()).max().orElse(0);
            if (high > 0) {
                plots.add(threads(replacement, high));
            }
        }
        if (!plots.isEmpty()) {
            page.figure("Million pairs of free and allocate a second by threads that share an allocator, of all threads"
                    + " together: more is better. Medians; bars: from the least to the largest of the rounds. This"
                    + " machine has " + report.processors() + " processors.", plots);
        }
    }

    private String threads(Replacement replacement, double high) {
        LinePlot plot = new LinePlot(replacement.label + ": " + replacement.byteSizes, PANEL_WIDTH,
                Axis.logarithmic("threads", IntStream.of(Crowd.sizes(report.processors())).asDoubleStream().boxed()
                        .toList(), Quantity::number),
                Axis.linear("million pairs a second", high * 1.05, Quantity::number));
        for (int subject = 0; subject < ThreadTable.SUBJECTS.size(); subject++) {
            String name = ThreadTable.SUBJECTS.get(subject);
            plot.line(name, subject == 0 ? Look.ours(0) : Look.others(subject - 1), points(replacement, name));
        }
        return plot.svg();
    }

    private List<Point> points(Replacement replacement, String subject) {
        return IntStream.of(Crowd.sizes(report.processors()))
                .mapToObj(threads -> new Point(threads, figures.spread(
                        new Key(Measure.THREADS, new Crowd(replacement, threads).label(), subject))))
                .filter(point -> point.y().isPositive()).toList();
    }

    private void explanations() {
        if (!report.explanations().isEmpty()) {
            page.section("What is behind each missed target");
        }
        report.explanations().forEach((key, lines) -> {
            page.note(key.measure().title + ", " + key.workload() + ", " + key.subject());
            page.lines(lines);
        });
    }

    private void table() {
        page.section("All medians");
        Table table = new Table("Medians over the rounds",
                List.of("measure", "workload", "who", "unit", "median", "rounds"));
        for (Key key : figures.rounds().keySet()) {
            Spread spread = figures.spread(key);
            table.row(key.measure().title, List.of(key.workload(), key.subject(), key.measure().unit),
                    List.of(Quantity.number(spread.median()), BenchmarkPage.rounds(spread)));
        }
        page.table(table);
    }
}
