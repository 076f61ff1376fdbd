package dev.verbena.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
            Process process = new ProcessBuilder(program.toString(), kind, file.toString(),
                    Integer.toString(pace.warmUpMs()), Integer.toString(pace.stretchMs()),
                    Integer.toString(pace.stretches())).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            List<Double> stretches = process.inputReader().lines().map(Double::valueOf).toList();
            if (process.waitFor() != 0 || stretches.size() != pace.stretches()) {
                throw new IllegalStateException("the C peer failed: kind=" + kind + " exit=" + process.exitValue()
                        + "; what it said is above");
            }
            return Figures.median(stretches);
        } finally {
            Files.delete(file);
        }
    }
}
