package dev.verbena.benchmarks.step;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

import dev.verbena.benchmarks.Machine;
import dev.verbena.benchmarks.training.Transport;

/**
 * benchmarks/run step: what a step of a parameter server and its workers takes where they compute nothing, for the models of EuroSys'19, table 2.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> its main thread.
 */
final class StepBenchmark {
    private StepBenchmark() {}

    /** What has been measured of a case is told, and in the JSON file if there shall be one, before the next: all take half an hour. */
    static StepFigures run(StepOrder order, Consumer<String> progress) throws IOException {
        StepFigures figures = new StepFigures();
        Transport[] transports = Transport.values();
        for (StepCase measured : order.cases()) {
            for (int round = 0; round < order.rounds(); round++) {
                progress.accept(measured + ": round " + (round + 1) + " of " + order.rounds());
                for (int i = 0; i < transports.length; i++) {
                    Transport transport = transports[(round + i) % transports.length];
                    if (measured.byteSize(transport) > Machine.availableByteSize()) {
                        progress.accept(transport.label + " is left out: it needs about "
                                + (measured.byteSize(transport) >> 30) + " GiB of memory, more than is available");
                        continue;
                    }
                    figures.add(measured, transport,
                            StepRun.millis(measured, transport, measured.steps(transport, order.isQuick())));
                }
            }
            figures.rows(measured).forEach(progress);
            if (order.json() != null) {
                order.json().write(figures.json());
            }
        }
        return figures;
    }

    public static void main(String[] arguments) throws IOException {
        try (PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
                StandardCharsets.UTF_8)) {
            StepOrder order;
            try {
                order = new StepOrder(arguments);
            } catch (IllegalArgumentException e) {
                output.println("benchmarks: " + e.getMessage());
                System.exit(2);
                return;
            }
            StepFigures figures = run(order, output::println);
            figures.table().forEach(output::println);
            if (order.isQuick()) {
                output.println("A quick run shows that everything runs, not how fast it is: its times mean nothing.");
            }
            if (order.report() != null) {
                order.report().write(StepPage.of(figures, order.isQuick()));
            }
        }
    }
}
