package dev.verbena.testing.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What a program asked of an allocator, in the order in which it happened: each allocation is freed once, nothing is live at the end,
 * so that a trace can be replayed again and again. Traces are written as {@link TraceText text}, taken from a running program by a
 * {@link TraceRecorder}, done again by {@link TraceReplay}, and some {@link ShippedTrace come with Verbena}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param events all of them, over all threads
 */
public record Trace(List<TraceEvent> events) {
    /** @throws IllegalArgumentException if they are not well-formed, with the event's index and what to do */
    public Trace {
        events = List.copyOf(events);
        TraceRules rules = new TraceRules();
        for (int index = 0; index < events.size(); index++) {
            try {
                rules.check(events.get(index));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("event " + index + ": " + e.getMessage(), e);
            }
        }
        rules.checkEnd();
    }

    /** How many ids there are. */
    public int allocationCount() {
        return (int) events.stream().filter(TraceEvent.Allocate.class::isInstance).count();
    }

    /** One more than the highest thread; at least 1. */
    public int threadCount() {
        return 1 + events.stream().mapToInt(Trace::threadOf).max().orElse(0);
    }

    /** What lies between two marks is an iteration. */
    public int iterationCount() {
        return Math.max(0, (int) events.stream().filter(TraceEvent.Mark.class::isInstance).count() - 1);
    }

    /** Bytes asked for by each id. */
    public long[] byteSizes() {
        return events.stream().filter(TraceEvent.Allocate.class::isInstance).map(TraceEvent.Allocate.class::cast)
                .mapToLong(TraceEvent.Allocate::byteSize).toArray();
    }

    /**
     * The most bytes that were live at once, as asked for, without any rounding.
     *
     * @throws ArithmeticException if that exceeds 2^63 - 1
     */
    public long livePeakByteSize() {
        long[] byteSizes = byteSizes();
        long live = 0;
        long peak = 0;
        for (TraceEvent event : events) {
            switch (event) {
                case TraceEvent.Allocate allocate -> live = Math.addExact(live, allocate.byteSize());
                case TraceEvent.Free free -> live -= byteSizes[free.id()];
                case TraceEvent.Mark _ -> {
                }
            }
            peak = Math.max(peak, live);
        }
        return peak;
    }

    /** Only the allocations of these sizes, both included, and their frees, numbered anew; all marks. */
    public Trace withinByteSizes(long byteSizeMin, long byteSizeMax) {
        int[] ids = new int[allocationCount()];
        List<TraceEvent> kept = new ArrayList<>();
        int count = 0;
        for (TraceEvent event : events) {
            switch (event) {
                case TraceEvent.Allocate(int id, long byteSize, int thread) -> {
                    boolean isKept = byteSize >= byteSizeMin && byteSize <= byteSizeMax;
                    ids[id] = isKept ? count++ : -1;
                    if (isKept) {
                        kept.add(new TraceEvent.Allocate(ids[id], byteSize, thread));
                    }
                }
                case TraceEvent.Free(int id, int thread) -> {
                    if (ids[id] >= 0) {
                        kept.add(new TraceEvent.Free(ids[id], thread));
                    }
                }
                case TraceEvent.Mark mark -> kept.add(mark);
            }
        }
        return new Trace(kept);
    }

    /**
     * So many workers, each of which does all that this trace says, at the same time; without marks. The seed decides whose turn it is, for
     * up to 20 events each; the same one gives the same trace. A worker is a thread; what is on thread t here, worker w has on thread
     * (w + t) modulo count.
     *
     * @throws IllegalArgumentException if they are less than 1, or more threads than a trace may have
     */
    public Trace byWorkers(int count, long seed) {
        if (count < 1) {
            throw new IllegalArgumentException("count=" + count + " of workers must be at least 1");
        }
        return new Trace(new Workers(this, count).events(new SplittableRandom(seed)));
    }

    @Override
    public String toString() {
        return "trace allocationCount=" + allocationCount() + " threadCount=" + threadCount() + " iterationCount="
                + iterationCount();
    }

    static int threadOf(TraceEvent event) {
        return switch (event) {
            case TraceEvent.Allocate allocate -> allocate.thread();
            case TraceEvent.Free free -> free.thread();
            case TraceEvent.Mark _ -> 0;
        };
    }
}
