package dev.verbena.benchmarks.training;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
 * Trainings by each transport as a page, with plots as in EuroSys'19, figures 9 and 10.
 *
 * <p><b>Owner:</b> {@link TrainingBenchmark}. <b>Threading:</b> confined to its thread.
 */
final class TrainingPage {
    private static final int PANEL_WIDTH = 485;
    /** Of a line; so many say as much as all. */
    private static final int POINTS = 60;

    private final TrainingFigures figures;
    private final BenchmarkPage page;

    private TrainingPage(TrainingFigures figures, boolean isQuick) {
        this.figures = figures;
        page = new BenchmarkPage("Training by zero-copy, by copying and by gRPC", isQuick);
    }

    static String of(TrainingFigures figures, boolean isQuick) throws IOException {
        return new TrainingPage(figures, isQuick).page();
    }

    private String page() throws IOException {
        page.note(
                "Parameter servers and workers as processes of one machine, the same training by each transport in turn,"
                        + " in each round. All losses are the same to the last bit; what differs is the time.");
        page.figure("Loss over time, by transport: what was learned when. Medians of the rounds' rates.",
                figures.cases().stream().map(this::losses).toList());
        page.figure("Examples a second. Lines: from the least to the largest of the rounds.",
                figures.cases().stream().map(this::rates).toList());
        page.goals(figures.goals());
        tables();
        page.machine(Machine.toMap(), TrainingFigures.versions());
        return page.end();
    }

    private String losses(TrainingCase trained) {
        List<List<Point>> lines = Stream.of(Transport.values()).map(transport -> points(trained, transport)).toList();
        double end = lines.stream().mapToDouble(line -> line.getLast().x()).max().orElse(1);
        double high = lines.getFirst().stream().mapToDouble(point -> point.y().high()).max().orElse(1);
        LinePlot plot = new LinePlot(trained.toString(), PANEL_WIDTH,
                Axis.linear("seconds", end, Quantity::number), Axis.linear("loss", high * 1.1, Quantity::number));
        for (Transport transport : Transport.values()) {
            Look look = transport.look;
            plot.line(transport.label, new Look(look.colour(), look.dashes(), look.width(), -1),
                    lines.get(transport.ordinal()));
        }
        return plot.svg();
    }

    private List<Point> points(TrainingCase trained, Transport transport) {
        List<Double> losses = figures.runs(trained, transport).getFirst().losses();
        TrainingRun typical = new TrainingRun(figures.examplesPerSecond(trained, transport).median(), losses, 0);
        List<Point> points = new ArrayList<>();
        int step = Math.max(1, losses.size() / POINTS);
        for (int i = 0; i < losses.size(); i += step) {
            points.add(new Point(typical.seconds(i, trained.workers()), Spread.of(List.of(losses.get(i)))));
        }
        return points;
    }

    private String rates(TrainingCase trained) {
        double high = Stream.of(Transport.values())
                .mapToDouble(transport -> figures.examplesPerSecond(trained, transport).high()).max().orElse(1);
        BarPlot plot = new BarPlot(trained.toString(), PANEL_WIDTH, Axis.linear(null, high * 1.3, Quantity::number), 0,
                Quantity::number);
        for (Transport transport : Transport.values()) {
            plot.row(transport.label,
                    new Bar(transport.look.colour(), figures.examplesPerSecond(trained, transport)));
        }
        return plot.svg();
    }

    private void tables() {
        Table table = new Table("Examples a second, and how many times as many by zero-copy",
                List.of("", "zerocopy", "copy", "grpc", "to copy", "rounds", "to grpc", "rounds"));
        for (TrainingCase trained : figures.cases()) {
            List<String> cells = new ArrayList<>();
            for (Transport transport : Transport.values()) {
                cells.add(Quantity.number(figures.examplesPerSecond(trained, transport).median()));
            }
            for (Transport slower : List.of(Transport.COPY, Transport.GRPC)) {
                Spread times = figures.timesFaster(trained, slower);
                cells.add(Quantity.times(times.median()));
                cells.add(BenchmarkPage.rounds(times));
            }
            table.row(trained.toString(), cells);
        }
        page.table(table);
    }
}
