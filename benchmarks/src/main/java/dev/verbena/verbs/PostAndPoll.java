package dev.verbena.verbs;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Posting one request and polling, over function pointers that do nothing: what is left is the price of Java.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> one thread, JMH's.
 *
 * <p>The same in C: benchmarks/src/main/c/post_and_poll.c.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 300, time = 10, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class PostAndPoll {
    private static final int COMPLETIONS = 16;

    /** Whether the provider posts without entering the kernel, so that the call may be critical. */
    @Param({"false", "true"})
    public boolean isCritical;

    private QueuePair queuePair;
    private CompletionQueue queue;
    private SendRequests sends;
    private WorkCompletions completions;

    /** The library is the one that benchmarks/run compiled. */
    @Setup
    public void open() {
        DoNothingDevice device = DoNothingDevice.of(Path.of(System.getProperty("verbena.doNothing")), isCritical);
        queuePair = device.queuePair;
        queue = device.queue;
        sends = new SendRequests(1, 1);
        sends.get(0).send(1);
        completions = new WorkCompletions(COMPLETIONS);
    }

    /** Returns a number so that nothing is optimised away. */
    @Benchmark
    public int postAndPoll() {
        return queuePair.post(sends, 0, 1) + queue.poll(completions);
    }
}
