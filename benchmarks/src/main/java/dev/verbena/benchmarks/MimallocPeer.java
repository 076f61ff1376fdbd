package dev.verbena.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The same workloads in C, by the program that benchmarks/run compiled from allocator_peer.c. */
final class MimallocPeer {
    private final Path program;
    private final Pace pace;

    /** {@code program} is null where there is none: then nothing is measured. */
    MimallocPeer(Path program, Pace pace) {
        this.program = program;
        this.pace = pace;
    }

    /** Nanoseconds per pair, the median of the stretches; NaN without a program. */
    double run(String kind, Workload workload) throws IOException, InterruptedException {
        if (program == null) {
            return Double.NaN;
        }
        Path file = Files.createTempFile("verbena-workload", ".bin");
        try {
            workload.write(file);
            List<String> stretches = call(kind, file.toString(), Integer.toString(pace.warmUpMs()),
                    Integer.toString(pace.stretchMs()), Integer.toString(pace.stretches()));
            return Figures.median(stretches.stream().map(Double::valueOf).toList());
        } finally {
            Files.delete(file);
        }
    }

    /** That of the library, as a number; "none" without a program. */
    String version() throws IOException, InterruptedException {
        return program == null ? "none" : call("version").getFirst();
    }

    private List<String> call(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        List<String> lines = process.inputReader().lines().toList();
        if (process.waitFor() != 0 || lines.isEmpty()) {
            throw new IllegalStateException(
                    "the C peer failed: " + command + " exit=" + process.exitValue() + "; what it said is above");
        }
        return lines;
    }
}
