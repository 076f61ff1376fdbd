package dev.verbena.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.verbena.benchmarks.report.Spread;

/** The same workloads in C, by the program that benchmarks/run compiled from allocator_peer.c. */
final class MimallocPeer {
    static final String NO_VERSION = "none";

    private final Path program;
    private final Pace pace;

    /** {@code program} is null where there is none: then nothing is measured. */
    MimallocPeer(Path program, Pace pace) {
        this.program = program;
        this.pace = pace;
    }

    /** Nanoseconds per pair, the median of the stretches; NaN without a program. */
    double run(String kind, Workload workload) throws IOException, InterruptedException {
        return median(workload, kind);
    }

    /** Million pairs a second of all threads together, likewise. */
    double pairsByThreads(Workload workload, int threads) throws IOException, InterruptedException {
        return median(workload, "threads", Integer.toString(threads));
    }

    private double median(Workload workload, String kind, String... more) throws IOException, InterruptedException {
        if (program == null) {
            return Double.NaN;
        }
        Path file = Files.createTempFile("verbena-workload", ".bin");
        try {
            workload.write(file);
            List<String> arguments = new ArrayList<>(List.of(kind, file.toString(), Integer.toString(pace.warmUpMs()),
                    Integer.toString(pace.stretchMs()), Integer.toString(pace.stretches())));
            arguments.addAll(List.of(more));
            return Spread.median(call(arguments).stream().map(Double::valueOf).toList());
        } finally {
            Files.delete(file);
        }
    }

    /** That of the library, as a number; {@link #NO_VERSION} without a program. */
    String version() throws IOException, InterruptedException {
        return program == null ? NO_VERSION : call(List.of("version")).getFirst();
    }

    private List<String> call(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        List<String> lines = process.inputReader().lines().toList();
        if (process.waitFor() != 0 || lines.isEmpty()) {
            throw new IllegalStateException(
                    "the C peer failed: " + command + " exit=" + process.exitValue() + "; what it said is above");
        }
        return lines;
    }
}
