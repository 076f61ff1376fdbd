package dev.verbena.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import dev.verbena.testing.trace.ShippedTrace;

/** One turn of a subject under JMH. The fork has this JVM's options, which benchmarks/run chose. */
final class JavaTurn {
    private final Pace pace;
    private final Class<?> benchmark;
    private final Subject subject;

    JavaTurn(Pace pace, Class<?> benchmark, Subject subject) {
        this.pace = pace;
        this.benchmark = benchmark;
        this.subject = subject;
    }

    /** Nanoseconds per operation, the median of the stretches, and what else was counted. */
    record Outcome(double medianNs, RunResult result) {
        /** Bytes of Java heap per operation. */
        double heapByteSize() {
            return result.getSecondaryResults().get("gc.alloc.rate.norm").getScore();
        }

        double counter(String name) {
            return result.getSecondaryResults().get(name).getScore();
        }
    }

    Outcome run() {
        return run(options().measurementIterations(pace.stretches())
                .measurementTime(TimeValue.milliseconds(pace.stretchMs())));
    }

    Outcome run(ShippedTrace trace) {
        return run(options().param("trace", trace.name()).measurementIterations(pace.stretches())
                .measurementTime(TimeValue.milliseconds(pace.stretchMs())));
    }

    /** One long stretch: counters would be summed over several. */
    Outcome runPauses() {
        return run(options().measurementIterations(1).measurementTime(TimeValue.milliseconds(pace.pausesMs())));
    }

    private ChainedOptionsBuilder options() {
        return new OptionsBuilder().include("^" + Pattern.quote(benchmark.getName() + ".")).param("subject",
                subject.name()).forks(pace.forks()).warmupIterations(1)
                .warmupTime(TimeValue.milliseconds(pace.warmUpMs())).addProfiler(GCProfiler.class)
                .verbosity(VerboseMode.SILENT).shouldFailOnError(true);
    }

    private Outcome run(ChainedOptionsBuilder options) {
        try {
            RunResult result = new Runner(options.build()).runSingle();
            List<Double> scores = new ArrayList<>();
            for (IterationResult iteration : result.getAggregatedResult().getIterationResults()) {
                scores.add(iteration.getPrimaryResult().getScore());
            }
            return new Outcome(Figures.median(scores), result);
        } catch (RunnerException e) {
            throw new IllegalStateException(
                    benchmark.getSimpleName() + " of subject=" + subject.label + " failed: " + e.getMessage(), e);
        }
    }
}
