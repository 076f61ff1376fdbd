package dev.verbena.benchmarks.step;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.verbena.benchmarks.Machine;
import dev.verbena.benchmarks.report.BarPlot;
import dev.verbena.benchmarks.report.BarPlot.Bar;
import dev.verbena.benchmarks.report.BenchmarkPage;
import dev.verbena.benchmarks.report.Quantity;
import dev.verbena.benchmarks.report.Spread;
import dev.verbena.benchmarks.report.Table;
import dev.verbena.benchmarks.training.Transport;

/**
 * Steps by each transport as a page.
 *
 * <p><b>Owner:</b> {@link StepBenchmark}. <b>Threading:</b> confined to its thread.
 */
final class StepPage {
    private static final int PANEL_WIDTH = 485;
    private static final double US_PER_MS = 1e3;

    private final StepFigures figures;
    private final BenchmarkPage page;

    private StepPage(StepFigures figures, boolean isQuick) {
        this.figures = figures;
        page = new BenchmarkPage("A step with a parameter server", isQuick);
    }

    static String of(StepFigures figures, boolean isQuick) throws IOException {
        return new StepPage(figures, isQuick).page();
    }

    private String page() throws IOException {
        page.note(
                "One parameter server and its workers as processes of one machine. Each worker pulls all variables of the"
                        + " model and pushes a gradient of each; the server applies their mean. Workers compute nothing.");
        page.figure(
                "A step, by model, transport and number of workers, on logarithmic axes. Of each model, from the top: "
                        + Stream.of(Transport.values()).map(transport -> transport.label)
                                .collect(Collectors.joining(", "))
                        + ". Lines: from the least to the largest of the rounds.",
                figures.cases().stream().map(StepCase::workers).distinct().map(this::steps).toList());
        if (!figures.goals().isEmpty()) {
            page.goals(figures.goals());
        }
        page.table(table());
        page.note(
                "Computed: mini-batches, each a step and before it the computing of one sample that EuroSys'19, table 2, has"
                        + " for a Tesla P100.");
        page.machine(Machine.toMap(), StepFigures.versions());
        return page.end();
    }

    private String steps(int workers) {
        List<StepCase> cases = figures.cases().stream().filter(measured -> measured.workers() == workers).toList();
        List<Spread> all = cases.stream().flatMap(measured -> Stream.of(Transport.values())
                .map(transport -> step(measured, transport))).filter(Spread::isPositive).toList();
        BarPlot plot = BarPlot.logarithmic(workers + (workers == 1 ? " worker" : " workers"), PANEL_WIDTH,
                all.stream().mapToDouble(Spread::low).min().orElseThrow(),
                all.stream().mapToDouble(Spread::high).max().orElseThrow(), Quantity::time);
        for (StepCase measured : cases) {
            plot.row(measured.model().title(), Stream.of(Transport.values())
                    .filter(transport -> step(measured, transport).isPositive())
                    .map(transport -> new Bar(transport.look.colour(), step(measured, transport)))
                    .toArray(Bar[]::new));
        }
        return plot.svg();
    }

    /** In microseconds. */
    private Spread step(StepCase measured, Transport transport) {
        return figures.step(measured, transport).times(US_PER_MS);
    }

    private Table table() {
        Table table = new Table("Milliseconds of a step, and how many times as long by the other transports",
                List.of("", "MiB", "zerocopy", "copy", "grpc", "copy", "rounds", "grpc", "rounds", "grpc, computed"));
        for (StepCase measured : figures.cases()) {
            List<String> cells = new ArrayList<>(List.of(Quantity.number(StepFigures.mebibytes(measured))));
            for (Transport transport : Transport.values()) {
                cells.add(Quantity.number(figures.step(measured, transport).median()));
            }
            for (Transport slower : List.of(Transport.COPY, Transport.GRPC)) {
                Spread times = figures.timesFaster(measured, slower);
                cells.add(Quantity.times(times.median()));
                cells.add(BenchmarkPage.rounds(times));
            }
            cells.add(Quantity.times(figures.timesFasterWithComputing(measured, Transport.GRPC).median()));
            table.row(measured.toString(), cells);
        }
        return table;
    }
}
