package dev.verbena.benchmarks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.trace.Tracer;
import dev.verbena.trace.TracerOptions;

/**
 * An iteration of a program with {@link #NODES} nodes, each of which allocates a tensor and adds two others up in it, with and without a
 * tracer. One in ten is sent, of which only the tracer's part is done: what sending and copying cost is in none of the figures.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> one thread, JMH's.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 30, time = 40, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class TracedIteration {
    /** In an iteration. */
    static final int NODES = 100;
    private static final int SENT_ONE_IN = 10;
    private static final int LIVE = 8;
    private static final long ARENA_BYTE_SIZE = 256L << 20;

    /** Who tells the tracer what. */
    public enum Traced {
        /** There is none. */
        UNTRACED,
        /** It has learned all there is. */
        NODES_LATER,
        /** The same, without nodes. */
        CALLS_LATER,
        /** It is new. */
        NODES_FIRST,
        /** The same, without nodes. */
        CALLS_FIRST
    }

    /** How it is traced. */
    @Param
    public Traced traced;

    /** Of each tensor. */
    @Param({"4096", "65536", "524288"})
    public int byteSize;

    private final String[] names = IntStream.range(0, NODES).mapToObj(i -> "node " + i).toArray(String[]::new);
    private final Tensor[] live = new Tensor[LIVE];
    private TensorArena ordinary;
    private TensorArena registered;
    private Shape shape;
    private Tracer tracer;

    /** Memory is there before, as in a program that has run for a while. */
    @Setup
    public void open() {
        ordinary = TensorArena.create(new OffHeapSlabSource(), ARENA_BYTE_SIZE, ARENA_BYTE_SIZE);
        registered = TensorArena.create(new OffHeapSlabSource(), ARENA_BYTE_SIZE, ARENA_BYTE_SIZE);
        shape = Shape.of(byteSize / Float.BYTES);
        tracer = traced == Traced.UNTRACED ? null : Tracer.create(TracerOptions.defaults());
        for (int i = 0; i < LIVE; i++) {
            live[i] = ordinary.allocate(ElementType.FLOAT32, shape);
        }
    }

    /** Frees all. */
    @TearDown
    public void close() {
        for (Tensor tensor : live) {
            tensor.close();
        }
        ordinary.close();
        registered.close();
    }

    /** Returns a tensor so that nothing is optimised away. */
    @Benchmark
    public Tensor iteration() {
        if (traced == Traced.NODES_FIRST || traced == Traced.CALLS_FIRST) {
            tracer = Tracer.create(TracerOptions.defaults());
        }
        boolean hasNodes = traced == Traced.NODES_LATER || traced == Traced.NODES_FIRST;
        for (int i = 0; i < NODES; i++) {
            if (hasNodes) {
                tracer.enterNode(names[i]);
            }
            execute(i);
        }
        if (tracer != null) {
            tracer.endIteration();
        }
        return live[0];
    }

    private void execute(int node) {
        boolean isRegistered = tracer != null && tracer.isRegistered(byteSize);
        Tensor output = (isRegistered ? registered : ordinary).allocate(ElementType.FLOAT32, shape);
        if (tracer != null) {
            tracer.allocated(output.address(), byteSize);
        }
        add(live[node % LIVE].memory(), live[(node + 1) % LIVE].memory(), output.memory());
        if (node % SENT_ONE_IN == 0 && tracer != null) {
            tracer.sent(output.address(), !isRegistered);
        }
        free(live[node % LIVE]);
        live[node % LIVE] = output;
    }

    private void free(Tensor tensor) {
        if (tracer != null) {
            tracer.freed(tensor.address());
        }
        tensor.close();
    }

    private static void add(MemorySegment a, MemorySegment b, MemorySegment sum) {
        for (long i = 0; i < sum.byteSize() / Float.BYTES; i++) {
            sum.setAtIndex(ValueLayout.JAVA_FLOAT, i,
                    a.getAtIndex(ValueLayout.JAVA_FLOAT, i) + b.getAtIndex(ValueLayout.JAVA_FLOAT, i));
        }
    }
}
