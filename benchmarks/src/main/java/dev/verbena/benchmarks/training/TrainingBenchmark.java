package dev.verbena.benchmarks.training;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * benchmarks/run training: the same training by zero-copy, by copying and by gRPC, in turn.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> its main thread; {@code ./verbena train} trains.
 */
final class TrainingBenchmark {
    private TrainingBenchmark() {}

    static TrainingFigures run(TrainingOrder order, Consumer<String> progress)
            throws IOException, InterruptedException {
        TrainingFigures figures = new TrainingFigures();
        Transport[] transports = Transport.values();
        for (TrainingCase trained : order.cases()) {
            for (int round = 0; round < order.rounds(); round++) {
                progress.accept(trained + ": round " + (round + 1) + " of " + order.rounds());
                for (int i = 0; i < transports.length; i++) {
                    Transport transport = transports[(round + i) % transports.length];
                    figures.add(trained, transport,
                            TrainingRun.of(trained, transport, order.text(), order.isQuick()));
                }
            }
        }
        return figures;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
                StandardCharsets.UTF_8)) {
            TrainingOrder order;
            try {
                order = new TrainingOrder(arguments);
            } catch (IllegalArgumentException e) {
                output.println("benchmarks: " + e.getMessage());
                System.exit(2);
                return;
            }
            TrainingFigures figures = run(order, output::println);
            figures.table().forEach(output::println);
            if (order.isQuick()) {
                output.println("A quick run shows that everything runs, not how fast it is: its times mean nothing.");
            }
            if (order.json() != null) {
                order.json().write(figures.json());
            }
            if (order.report() != null) {
                order.report().write(TrainingPage.of(figures, order.isQuick()));
            }
        }
    }
}
