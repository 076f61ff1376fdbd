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

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import dev.verbena.benchmarks.TracedIteration.Traced;

/** benchmarks/run tracer [ROUNDS|--quick]: iterations with a tracer beside those without; rounds in turn, medians. */
final class TracerBenchmark {
    private static final int ROUNDS = 3;
    private static final double TARGET_FIRST = 1.3;
    private static final double TARGET_LATER = 1.01;

    private record Case(int byteSize, Traced traced) {}

    private final Map<Case, List<Double>> ns = new TreeMap<>(
            Comparator.comparingInt(Case::byteSize).thenComparing(Case::traced));
    private final Map<Case, List<Double>> heapBytes = new TreeMap<>(
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
                .addProfiler(GCProfiler.class).jvmArgsAppend("--enable-native-access=ALL-UNNAMED")
                .verbosity(VerboseMode.SILENT);
        if (isQuick) {
            options.forks(0).warmupIterations(1).warmupTime(TimeValue.milliseconds(1)).measurementIterations(1)
                    .measurementTime(TimeValue.milliseconds(1));
        }
        for (RunResult result : new Runner(options.build()).run()) {
            Case key = new Case(Integer.parseInt(result.getParams().getParam("byteSize")),
                    Traced.valueOf(result.getParams().getParam("traced")));
            for (IterationResult each : result.getAggregatedResult().getIterationResults()) {
                ns.computeIfAbsent(key, none -> new ArrayList<>()).add(each.getPrimaryResult().getScore());
            }
            heapBytes.computeIfAbsent(key, none -> new ArrayList<>())
                    .add(result.getSecondaryResults().get("gc.alloc.rate.norm").getScore());
        }
    }

    /** A line for each size and way of tracing. */
    List<String> table() {
        List<String> lines = new ArrayList<>();
        lines.add(
                String.format(Locale.ROOT, "%8s %-12s %12s %9s %7s %14s %16s", "byteSize", "", "ns/iteration", "ratio",
                        "target", "ns/allocation", "heap bytes more"));
        ns.forEach((key, samples) -> {
            Case untraced = new Case(key.byteSize, Traced.UNTRACED);
            double own = median(samples);
            double base = median(ns.get(untraced));
            boolean isFirst = key.traced == Traced.NODES_FIRST || key.traced == Traced.CALLS_FIRST;
            lines.add(String.format(Locale.ROOT, "%8d %-12s %12.0f %9.4f %7s %14.1f %16.1f", key.byteSize,
                    key.traced.name().toLowerCase(Locale.ROOT).replace('_', ' '), own, own / base,
                    key.traced == Traced.UNTRACED ? "" : "" + (isFirst ? TARGET_FIRST : TARGET_LATER),
                    (own - base) / TracedIteration.NODES,
                    median(heapBytes.get(key)) - median(heapBytes.get(untraced))));
        });
        return lines;
    }

    private static double median(List<Double> samples) {
        return samples.stream().sorted().toList().get(samples.size() / 2);
    }
}
