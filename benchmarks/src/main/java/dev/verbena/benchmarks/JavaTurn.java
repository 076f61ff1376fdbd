package dev.verbena.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import dev.verbena.benchmarks.report.Spread;
import dev.verbena.testing.trace.ShippedTrace;

/** One turn of a subject under JMH. The fork has this JVM's options, which benchmarks/run chose. */
final class JavaTurn {
    private static final String LOG = System.getProperty("verbena.jmhLog", "/dev/null");

    private final Class<?> benchmark;
    private final Subject subject;
    private final ChainedOptionsBuilder options;

    JavaTurn(Pace pace, Class<?> benchmark, Subject subject) {
        this.benchmark = benchmark;
        this.subject = subject;
        int oneStretchMs = oneStretchMs(pace, benchmark);
        boolean isOneStretch = oneStretchMs > 0;
        options = new OptionsBuilder().include("^" + Pattern.quote(benchmark.getName() + "."))
                .param("subject", subject.name()).forks(pace.forks()).warmupIterations(1)
                .warmupTime(TimeValue.milliseconds(pace.warmUpMs()))
                .measurementIterations(isOneStretch ? 1 : pace.stretches())
                .measurementTime(TimeValue.milliseconds(isOneStretch ? oneStretchMs : pace.stretchMs()))
                .verbosity(VerboseMode.SILENT).output(LOG).shouldFailOnError(true);
    }

    /**
     * 0 for most, which have several. Counters would be summed over several: pauses are counted in one. And a thread's time goes from its
     * first call to its last: where it waits for a processor before and behind them, a short one would flatter it.
     */
    private static int oneStretchMs(Pace pace, Class<?> benchmark) {
        if (benchmark == Pauses.class) {
            return pace.pausesMs();
        }
        boolean isByThreads = benchmark == SharedReplacement.class || benchmark == ReplacementBeside.class;
        return isByThreads ? pace.stretches() * pace.stretchMs() : 0;
    }

    JavaTurn with(ShippedTrace trace) {
        options.param("trace", trace.name());
        return this;
    }

    JavaTurn with(Crowd crowd) {
        options.threads(crowd.threads()).param("replacement", crowd.replacement().name());
        return this;
    }

    JavaTurn with(Companion companion) {
        options.param("companion", companion.name());
        return this;
    }

    JavaTurn with(ManyThreads.Kind kind, int carriers) {
        options.param("kind", kind.name()).param("carriers", Integer.toString(carriers));
        return withJvmOption("-Djdk.virtualThreadScheduler.parallelism=" + carriers)
                .withJvmOption("-Djdk.virtualThreadScheduler.maxPoolSize=" + carriers);
    }

    JavaTurn withJvmOption(String option) {
        options.jvmArgsAppend(option);
        return this;
    }

    /** The benchmark's score, the median of the stretches, and what else was counted. */
    record Outcome(double median, RunResult result) {
        /** Bytes of Java heap per pair of a {@link RandomReplacement}. */
        double heapByteSize() {
            return counter("byteSize") / counter("pairCount");
        }

        double counter(String name) {
            return result.getSecondaryResults().get(name).getScore();
        }
    }

    Outcome run() {
        try {
            RunResult result = new Runner(options.build()).runSingle();
            List<Double> scores = new ArrayList<>();
            for (IterationResult iteration : result.getAggregatedResult().getIterationResults()) {
                scores.add(iteration.getPrimaryResult().getScore());
            }
            return new Outcome(Spread.median(scores), result);
        } catch (RunnerException e) {
            throw new IllegalStateException(benchmark.getSimpleName() + " of subject=" + subject.label + " failed: "
                    + e.getMessage() + "; what it said is in " + LOG, e);
        }
    }
}
