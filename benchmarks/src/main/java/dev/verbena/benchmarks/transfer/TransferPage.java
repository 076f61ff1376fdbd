package dev.verbena.benchmarks.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

import dev.verbena.benchmarks.Machine;
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
 * Tensors by each way, and raw puts, as a page.
 *
 * <p><b>Owner:</b> {@link TransferBenchmark}. <b>Threading:</b> confined to its thread.
 */
final class TransferPage {
    private static final int WIDTH = 980;
    private static final int PANEL_WIDTH = 485;
    /** All but ours, and ours with the copy that others make. */
    private static final List<Way> SLOWER = Stream.of(Way.values()).filter(way -> way == Way.COPY || !way.isVerbena())
            .toList();

    private final TransferFigures figures;
    private final BenchmarkPage page;

    private TransferPage(TransferFigures figures, boolean isQuick) {
        this.figures = figures;
        this.page = new BenchmarkPage("Tensors between two processes", isQuick);
    }

    static String of(TransferFigures figures, boolean isQuick) throws IOException {
        return new TransferPage(figures, isQuick).page();
    }

    private String page() throws IOException {
        page.note(
                "One tensor at a time, " + figures.route().describe()
                        + ", and its result back; each way in turn, in each"
                        + " round. " + String.join(". ", figures.leftOut()));
        for (Work work : Work.values()) {
            page.figure(
                    String.format("Time from sending a tensor until %s is back, by its size. Medians; bars: from the"
                            + " least to the largest of the rounds. Solid: Verbena's protocols; dashed: others.",
                            result(work)),
                    List.of(times(work)));
        }
        speedUps();
        puts();
        if (!figures.goals().isEmpty()) {
            page.goals(figures.goals());
        }
        tables();
        page.machine(Machine.toMap(), TransferFigures.versions());
        return page.end();
    }

    private static String result(Work work) {
        return work == Work.LAST ? "its last element" : "its largest element, of all that were read,";
    }

    private String times(Work work) {
        List<List<Point>> lines = Stream.of(Way.values())
                .map(way -> points(byteSize -> figures.us(way, work, byteSize))).toList();
        List<Point> copies = points(figures::copyUs);
        List<Spread> all = Stream.concat(lines.stream().flatMap(List::stream), copies.stream()).map(Point::y).toList();
        LinePlot plot = new LinePlot("Until " + result(work) + " is back", WIDTH,
                Axis.logarithmic("size of the tensor", figures.byteSizes().stream().map(Long::doubleValue).toList(),
                        byteSize -> TransferFigures.name((long) byteSize)),
                Axis.logarithmic("time of a tensor", low(all) / 1.5, high(all) * 1.5, Quantity::time));
        for (Way way : Way.values()) {
            plot.line(way.label, look(way), lines.get(way.ordinal()));
        }
        plot.line(TransferFigures.COPY_TITLE, Look.REFERENCE, copies);
        return plot.svg();
    }

    private List<Point> points(LongFunction<Spread> us) {
        return figures.byteSizes().stream().map(byteSize -> new Point(byteSize, us.apply(byteSize)))
                .filter(point -> point.y().isPositive()).toList();
    }

    private static Look look(Way way) {
        return way.isVerbena() ? Look.ours(way.ordinal()) : Look.others(way.ordinal() - Way.GRPC.ordinal());
    }

    private void speedUps() {
        List<Spread> all = figures.byteSizes().stream().flatMap(this::timesStatic).toList();
        if (all.isEmpty()) {
            return;
        }
        Axis x = Axis.logarithmic(null, Math.min(1, low(all)) / 1.1, Math.max(10, high(all)) * 8, Quantity::times);
        page.figure("Speed-up by static placement: how many times longer others take until a tensor's last element is"
                + " back, on a logarithmic axis. Lines: from the least to the largest of the rounds' ratios.",
                figures.byteSizes().stream().filter(byteSize -> timesStatic(byteSize).findAny().isPresent())
                        .map(byteSize -> speedUp(byteSize, x)).toList());
    }

    private Stream<Spread> timesStatic(long byteSize) {
        return SLOWER.stream().map(way -> figures.timesStatic(way, byteSize)).filter(Spread::isPositive);
    }

    private String speedUp(long byteSize, Axis x) {
        BarPlot plot = new BarPlot("Tensors of " + TransferFigures.name(byteSize), PANEL_WIDTH, x, 1, Quantity::times);
        for (Way way : SLOWER) {
            Spread times = figures.timesStatic(way, byteSize);
            if (times.isPositive()) {
                plot.row(way.label, new Bar(look(way).colour(), times));
            }
        }
        return plot.svg();
    }

    private void puts() {
        if (figures.puts() == null) {
            return;
        }
        Set<Put> puts = figures.puts().puts();
        List<String> plots = new ArrayList<>();
        for (boolean isLatency : new boolean[]{true, false}) {
            List<Put> some = puts.stream().filter(put -> put.isLatency() == isLatency)
                    .filter(put -> ucx(put).isPositive() && verbena(put).isPositive()).toList();
            if (!some.isEmpty()) {
                plots.add(puts(some));
            }
        }
        if (!plots.isEmpty()) {
            page.figure("Raw puts into another process's shared memory, by ucx_perftest of UCX and by verbena perf;"
                    + " of latencies, on a logarithmic axis, less is better, of bandwidths more. Lines: from the least"
                    + " to the largest of the rounds.", plots);
        }
        if (figures.puts().leftOut() != null) {
            page.note(figures.puts().leftOut());
        }
    }

    private String puts(List<Put> some) {
        List<Spread> all = some.stream().flatMap(put -> Stream.of(ucx(put), verbena(put))).toList();
        BarPlot plot = some.getFirst().isLatency()
                ? BarPlot.logarithmic("Latency", PANEL_WIDTH, low(all), high(all), Quantity::time)
                : new BarPlot("Bandwidth in GiB/s", PANEL_WIDTH,
                        Axis.linear(null, high(all) * 1.3, Quantity::number), 0, Quantity::number);
        for (Put put : some) {
            String size = TransferFigures.name(put.byteSize());
            plot.row(size + ", UCX", new Bar(Look.others(0).colour(), ucx(put)));
            plot.row(size + ", Verbena", new Bar(Look.ours(0).colour(), verbena(put)));
        }
        return plot.svg();
    }

    private Spread ucx(Put put) {
        return drawn(put, figures.puts().ucx(put));
    }

    private Spread verbena(Put put) {
        return drawn(put, figures.puts().verbena(put));
    }

    /** Microseconds, or GiB a second. */
    private static Spread drawn(Put put, Spread spread) {
        return put.isLatency() ? spread : spread.times(1. / 1024);
    }

    private void tables() {
        page.section("All medians");
        List<String> heads = Stream.concat(Stream.of(""), figures.byteSizes().stream().map(TransferFigures::name))
                .toList();
        for (Work work : Work.values()) {
            Table table = new Table("Microseconds from sending a tensor until " + result(work) + " is back", heads);
            for (Way way : Way.values()) {
                table.row(way.label, cells(byteSize -> figures.us(way, work, byteSize)));
            }
            table.row(TransferFigures.COPY_TITLE, cells(figures::copyUs));
            page.table(table);
        }
        if (figures.puts() != null && !figures.puts().puts().isEmpty()) {
            page.table(putTable());
        }
    }

    private List<String> cells(LongFunction<Spread> us) {
        return figures.byteSizes().stream().map(byteSize -> us.apply(byteSize).median())
                .map(median -> Double.isNaN(median) ? "–" : Quantity.number(median)).toList();
    }

    private Table putTable() {
        Table table = new Table("Raw puts", List.of("", "", "UCX", "rounds", "Verbena", "rounds"));
        for (Put put : figures.puts().puts()) {
            Spread ucx = figures.puts().ucx(put);
            Spread verbena = figures.puts().verbena(put);
            table.row(put.title() + " " + TransferFigures.name(put.byteSize()), List.of(put.unit()),
                    List.of(Quantity.number(ucx.median()), BenchmarkPage.rounds(ucx),
                            Quantity.number(verbena.median()), BenchmarkPage.rounds(verbena)));
        }
        return table;
    }

    private static double low(List<Spread> spreads) {
        return spreads.stream().mapToDouble(Spread::low).min().orElse(1);
    }

    private static double high(List<Spread> spreads) {
        return spreads.stream().flatMapToDouble(spread -> DoubleStream.of(spread.high())).max().orElse(1);
    }
}
