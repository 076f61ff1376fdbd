package dev.verbena.benchmarks;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import dev.verbena.benchmarks.TracedIteration.Traced;
import dev.verbena.benchmarks.report.Spread;

/** benchmarks/run tracer [ROUNDS|--quick]: iterations with a tracer and without in turn, in each round in a new JVM; medians. */
final class TracerBenchmark {
    private static final int ROUNDS = 3;
    private static final double TARGET_FIRST = 1.3;
    private static final double TARGET_LATER = 1.01;

    private record Case(int byteSize, Traced traced) {}

    /** Per iteration. */
    private record Sample(double untracedNs, double tracedNs, double heapBytesMore) {
        static Sample of(IterationResult result) {
            double iterations = count(result, "iterations");
            return new Sample(count(result, "untracedNs") / iterations, count(result, "tracedNs") / iterations,
                    (count(result, "tracedBytes") - count(result, "untracedBytes")) / iterations);
        }

        private static double count(IterationResult result, String name) {
            return result.getSecondaryResults().get(name).getScore();
        }
    }

    private final Map<Case, List<Sample>> samples = new TreeMap<>(
            Comparator.comparingInt(Case::byteSize).thenComparing(Case::traced));

    public static void main(String[] arguments) throws RunnerException {
        try (PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
                StandardCharsets.UTF_8)) {
            String argument = arguments.length == 0 ? "" + ROUNDS : arguments[0];
            boolean isQuick = argument.equals("--quick");
            if (arguments.length > 1 || !isQuick && !argument.matches("[1-9][0-9]?")) {
                output.println("benchmarks: tracer takes a number of rounds, or --quick");
                System.exit(2);
            }
            TracerBenchmark benchmark = new TracerBenchmark();
            for (int round = 0; round < (isQuick ? 1 : Integer.parseInt(argument)); round++) {
                benchmark.round(isQuick);
            }
            benchmark.table().forEach(output::println);
        }
    }

    void round(boolean isQuick) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder().include(TracedIteration.class.getName() + "\\.")
                .jvmArgsAppend("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow")
                .verbosity(VerboseMode.SILENT);
        if (isQuick) {
            options.forks(0).warmupIterations(1).warmupTime(TimeValue.milliseconds(1)).measurementIterations(1)
                    .measurementTime(TimeValue.milliseconds(1));
        }
        for (RunResult result : new Runner(options.build()).run()) {
            Case key = new Case(Integer.parseInt(result.getParams().getParam("byteSize")),
                    Traced.valueOf(result.getParams().getParam("traced")));
            for (IterationResult each : result.getAggregatedResult().getIterationResults()) {
                samples.computeIfAbsent(key, none -> new ArrayList<>()).add(Sample.of(each));
            }
        }
    }

    /** A line for each size and way of tracing. */
    List<String> table() {
        List<String> lines = new ArrayList<>();
        lines.add(
                String.format(Locale.ROOT, "%8s %-12s %13s %12s %9s %7s %14s %16s", "byteSize", "", "untraced[ns]",
                        "traced[ns]", "ratio", "target", "ns/allocation", "heap bytes more"));
        samples.forEach((key, all) -> lines.add(String.format(Locale.ROOT,
                "%8d %-12s %13.0f %12.0f %9.4f %7s %14.1f %16.1f", key.byteSize,
                key.traced.name().toLowerCase(Locale.ROOT).replace('_', ' '), median(all, Sample::untracedNs),
                median(all, Sample::tracedNs), median(all, sample -> sample.tracedNs / sample.untracedNs),
                key.traced.isFirst ? TARGET_FIRST : TARGET_LATER,
                median(all, sample -> (sample.tracedNs - sample.untracedNs) / TracedProgram.NODES),
                median(all, Sample::heapBytesMore))));
        return lines;
    }

    private static double median(List<Sample> samples, ToDoubleFunction<Sample> figure) {
        return Spread.median(samples.stream().mapToDouble(figure).boxed().toList());
    }
}
