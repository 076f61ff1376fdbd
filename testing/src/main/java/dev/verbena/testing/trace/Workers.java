package dev.verbena.testing.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Several workers that each do all that a trace says, at the same time: a turn is a burst of up to so many events of one of those that have
 * any left, by chance.
 *
 * <pre>
 *   worker 0   a a a f ── a f a ───────────── f f ── ...
 *   worker 1   ──────── a ───── a a f a f ──────── a ...
 * </pre>
 *
 * <p><b>Owner:</b> {@link Trace#byWorkers}. <b>Threading:</b> confined to its owner.
 */
final class Workers {
    private static final int BURST_MAX = 20;

    private final List<TraceEvent> steps;
    private final int count;
    /** Ids in what comes out, by worker and id in the trace. */
    private final int[][] ids;
    private final List<TraceEvent> events = new ArrayList<>();
    private int allocationCount;

    Workers(Trace trace, int count) {
        steps = trace.events().stream().filter(event -> !(event instanceof TraceEvent.Mark)).toList();
        this.count = count;
        ids = new int[count][trace.allocationCount()];
    }

    /** Everything in the order in which they do it. */
    List<TraceEvent> events(SplittableRandom random) {
        int[] done = new int[count];
        List<Integer> busy = new ArrayList<>();
        for (int worker = 0; worker < count; worker++) {
            busy.add(worker);
        }
        while (!busy.isEmpty()) {
            int turn = random.nextInt(busy.size());
            int worker = busy.get(turn);
            int end = Math.min(done[worker] + random.nextInt(1, BURST_MAX + 1), steps.size());
            steps.subList(done[worker], end).forEach(step -> add(worker, step));
            done[worker] = end;
            if (end == steps.size()) {
                busy.remove(turn);
            }
        }
        return events;
    }

    private void add(int worker, TraceEvent step) {
        int thread = (worker + Trace.threadOf(step)) % count;
        switch (step) {
            case TraceEvent.Allocate(int id, long byteSize, int _) -> {
                ids[worker][id] = allocationCount++;
                events.add(new TraceEvent.Allocate(ids[worker][id], byteSize, thread));
            }
            case TraceEvent.Free(int id, int _) -> events.add(new TraceEvent.Free(ids[worker][id], thread));
            case TraceEvent.Mark _ -> throw new AssertionError("marks are no steps");
        }
    }
}
