package dev.verbena.verbs;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** One round of {@link PostAndPoll} for benchmarks/run: per line isCritical, best nanoseconds, bytes per operation. */
final class VerbsBenchmark {
    private VerbsBenchmark() {}

    public static void main(String[] arguments) throws RunnerException {
        Collection<RunResult> results = new Runner(new OptionsBuilder().include(PostAndPoll.class.getName())
                .addProfiler(GCProfiler.class).jvmArgsAppend("--enable-native-access=ALL-UNNAMED")
                .verbosity(VerboseMode.SILENT).build()).run();
        try (PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
                StandardCharsets.UTF_8)) {
            for (RunResult result : results) {
                double best = result.getAggregatedResult().getIterationResults().stream()
                        .map(IterationResult::getPrimaryResult).mapToDouble(each -> each.getScore()).min()
                        .orElseThrow();
                output.println(result.getParams().getParam("isCritical") + " " + best + " "
                        + result.getSecondaryResults().get("gc.alloc.rate.norm").getScore());
            }
        }
    }
}
