package dev.verbena.benchmarks.allreduce;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * benchmarks/run allreduce: all-reduces beside those of PyTorch by Gloo, in turn.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> its main thread.
 */
final class AllReduceBenchmark {
    private AllReduceBenchmark() {}

    static AllReduceFigures run(AllReduceOrder order, Consumer<String> progress)
            throws IOException, InterruptedException {
        Optional<Gloo> gloo = Gloo.find();
        AllReduceFigures figures = new AllReduceFigures(gloo.map(Gloo::version).orElse(null));
        for (int members : order.members()) {
            AllReduceWork work = new AllReduceWork(members, order.byteSizes(), order.isQuick());
            for (int round = 0; round < order.rounds(); round++) {
                progress.accept(members + " members: round " + (round + 1) + " of " + order.rounds());
                if (gloo.isPresent() && round % 2 == 1) {
                    figures.addGloo(members, gloo.get().micros(work));
                }
                figures.addVerbena(members, VerbenaGroup.micros(work));
                if (gloo.isPresent() && round % 2 == 0) {
                    figures.addGloo(members, gloo.get().micros(work));
                }
            }
        }
        return figures;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
                StandardCharsets.UTF_8)) {
            AllReduceOrder order;
            try {
                order = new AllReduceOrder(arguments);
            } catch (IllegalArgumentException e) {
                output.println("benchmarks: " + e.getMessage());
                System.exit(2);
                return;
            }
            AllReduceFigures figures = run(order, output::println);
            figures.table().forEach(output::println);
            if (order.isQuick()) {
                output.println("A quick run shows that everything runs, not how fast it is: its times mean nothing.");
            }
            if (order.json() != null) {
                order.json().write(figures.json());
            }
        }
    }
}
