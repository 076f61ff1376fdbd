package dev.verbena.benchmarks;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.TensorArena;
import dev.verbena.testing.trace.ArenaReplayTarget;
import dev.verbena.testing.trace.ShippedTrace;
import dev.verbena.testing.trace.Trace;
import dev.verbena.testing.trace.TraceReplay;
import dev.verbena.testing.trace.UntouchedSlabSource;

/**
 * External fragmentation: the smallest region in which an arena replays a trace. Found by bisection, so it is the edge between a region
 * that suffices and a slightly smaller one that does not; that none is smaller is likely, not certain.
 */
final class Regions {
    /** The region is known to that part of the peak. */
    private static final long PRECISION = 2000;
    private static final long PAGE_BYTE_SIZE = 4096;

    private static final int WORKERS = 8;
    private static final long SEED = 2019;

    private final Trace trace;
    private String refusal = "";

    Regions(Trace trace) {
        this.trace = trace;
    }

    /** Of a trace that eight workers replay at once. */
    static String nameByWorkers(ShippedTrace trace) {
        return Rounds.name(trace) + " x" + WORKERS;
    }

    /** One of the shipped traces, by one program or by workers. */
    static Trace named(String name) {
        for (ShippedTrace each : ShippedTrace.values()) {
            if (name.equals(Rounds.name(each))) {
                return each.read();
            }
            if (name.equals(nameByWorkers(each))) {
                return each.read().byWorkers(WORKERS, SEED);
            }
        }
        throw new IllegalArgumentException("no trace is named " + name);
    }

    long smallestByteSize() {
        long peak = trace.livePeakByteSize();
        long refused = peak - 1;
        long sufficient = peak;
        while (!replays(sufficient)) {
            refused = sufficient;
            sufficient += sufficient / 2;
        }
        while (sufficient - refused > Math.max(PAGE_BYTE_SIZE, peak / PRECISION)) {
            long middle = refused + (sufficient - refused) / 2;
            if (replays(middle)) {
                sufficient = middle;
            } else {
                refused = middle;
            }
        }
        return sufficient;
    }

    /** What the arena said of the largest region that did not suffice; empty if the peak itself does. */
    String refusal() {
        return refusal;
    }

    private boolean replays(long byteSize) {
        try (TensorArena arena = TensorArena.create(new UntouchedSlabSource(), byteSize, byteSize)) {
            TraceReplay.inOrder(trace, new ArenaReplayTarget(arena, trace.allocationCount()));
            return true;
        } catch (OutOfArenaMemoryException e) {
            refusal = e.getMessage();
            return false;
        }
    }
}
