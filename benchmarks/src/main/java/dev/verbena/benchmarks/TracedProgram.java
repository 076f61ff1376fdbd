package dev.verbena.benchmarks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.trace.Tracer;
import dev.verbena.trace.TracerOptions;

/**
 * A program with {@link #NODES} nodes, each of which allocates a tensor and adds two others up in it. One in ten is sent, of which only the
 * tracer's part is done: what sending and copying cost is in none of the figures.
 *
 * <p><b>Owner:</b> {@link TracedIteration}. <b>Threading:</b> confined to its owner.
 */
final class TracedProgram implements AutoCloseable {
    /** In an iteration. */
    static final int NODES = 100;
    private static final int SENT_ONE_IN = 10;
    private static final int LIVE = 8;
    private static final long ARENA_BYTE_SIZE = 256L << 20;

    private final String[] names = IntStream.range(0, NODES).mapToObj(i -> "node " + i).toArray(String[]::new);
    private final Tensor[] live = new Tensor[LIVE];
    private final int byteSize;
    private final Shape shape;
    private final TensorArena ordinary;
    private final TensorArena registered;
    private final TracedIteration.Traced traced;
    /** Null if nothing is traced. */
    private Tracer tracer;

    /** Memory is there before, as in a program that has run for a while. */
    private TracedProgram(int byteSize, TracedIteration.Traced traced, Tracer tracer) {
        this.byteSize = byteSize;
        this.traced = traced;
        this.tracer = tracer;
        ordinary = TensorArena.create(new OffHeapSlabSource(), ARENA_BYTE_SIZE, ARENA_BYTE_SIZE);
        registered = TensorArena.create(new OffHeapSlabSource(), ARENA_BYTE_SIZE, ARENA_BYTE_SIZE);
        shape = Shape.of(byteSize / Float.BYTES);
        for (int i = 0; i < LIVE; i++) {
            live[i] = ordinary.allocate(ElementType.FLOAT32, shape);
        }
    }

    static TracedProgram with(int byteSize, TracedIteration.Traced traced) {
        return new TracedProgram(byteSize, traced, Tracer.create(TracerOptions.defaults()));
    }

    /** The same without a tracer: its author knows what is sent, as soon as the tracer does, so that both have the same tensors in the same memory. */
    static TracedProgram without(int byteSize, TracedIteration.Traced traced) {
        return new TracedProgram(byteSize, traced, null);
    }

    void iteration() {
        if (tracer != null && traced.isFirst) {
            tracer = Tracer.create(TracerOptions.defaults());
        }
        for (int i = 0; i < NODES; i++) {
            if (tracer != null && traced.hasNodes) {
                tracer.enterNode(names[i]);
            }
            execute(i);
        }
        if (tracer != null) {
            tracer.endIteration();
        }
    }

    private void execute(int node) {
        boolean isSent = node % SENT_ONE_IN == 0;
        boolean isRegistered = tracer != null ? tracer.isRegistered(byteSize) : isSent && !traced.isFirst;
        Tensor output = (isRegistered ? registered : ordinary).allocate(ElementType.FLOAT32, shape);
        if (tracer != null) {
            tracer.allocated(output.address(), byteSize);
        }
        add(live[node % LIVE].memory(), live[(node + 1) % LIVE].memory(), output.memory());
        if (isSent && tracer != null) {
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

    @Override
    public void close() {
        for (Tensor tensor : live) {
            tensor.close();
        }
        ordinary.close();
        registered.close();
    }
}
