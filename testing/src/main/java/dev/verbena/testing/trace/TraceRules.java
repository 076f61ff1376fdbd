package dev.verbena.testing.trace;

import java.util.BitSet;

/**
 * What makes a trace well-formed, one event after the other:
 *
 * <pre>
 *   the n-th allocation has id n, from 0        each id is freed once, after it was allocated
 *   0 <= byteSize      0 <= thread < THREADS_MAX        nothing is live at the end
 * </pre>
 *
 * <p><b>Owner:</b> whoever reads or builds a trace. <b>Threading:</b> confined to its owner.
 */
final class TraceRules {
    /** More threads than any machine that a trace is from is likely to have at work; each is a real thread in a replay. */
    static final int THREADS_MAX = 256;

    private final BitSet live = new BitSet();
    private int allocationCount;

    /** @throws IllegalArgumentException that says what is wrong and what to do */
    void check(TraceEvent event) {
        switch (event) {
            case TraceEvent.Allocate allocate -> checkAllocate(allocate);
            case TraceEvent.Free free -> checkFree(free);
            case TraceEvent.Mark _ -> {
            }
        }
    }

    /** @throws IllegalArgumentException if something is live */
    void checkEnd() {
        if (!live.isEmpty()) {
            throw new IllegalArgumentException("the trace ends with " + live.cardinality() + " live, the first of id="
                    + live.nextSetBit(0) + ": free them, or leave out their allocations");
        }
    }

    private void checkAllocate(TraceEvent.Allocate allocate) {
        if (allocate.id() != allocationCount) {
            throw new IllegalArgumentException("allocation of id=" + allocate.id() + " must have id=" + allocationCount
                    + ": ids count up from 0 in the order of allocation");
        }
        if (allocate.byteSize() < 0) {
            throw new IllegalArgumentException(
                    "byteSize=" + allocate.byteSize() + " of id=" + allocate.id() + " must be 0 or more");
        }
        checkThread(allocate.thread());
        live.set(allocationCount++);
    }

    private void checkFree(TraceEvent.Free free) {
        if (free.id() < 0 || free.id() >= allocationCount) {
            throw new IllegalArgumentException(
                    "free of id=" + free.id() + " which is not allocated yet: put the free behind the allocation");
        }
        if (!live.get(free.id())) {
            throw new IllegalArgumentException("second free of id=" + free.id() + ": leave one of them out");
        }
        checkThread(free.thread());
        live.clear(free.id());
    }

    private static void checkThread(int thread) {
        if (thread < 0 || thread >= THREADS_MAX) {
            throw new IllegalArgumentException(
                    "thread=" + thread + " must be 0 or more and less than " + THREADS_MAX + "; number them from 0");
        }
    }
}
