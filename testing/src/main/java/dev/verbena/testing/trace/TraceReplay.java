package dev.verbena.testing.trace;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * Does again what a trace says, with as many threads as it has.
 *
 * <p>If an allocator throws, the replay stops, frees what is live, and throws the same.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class TraceReplay {
    private static final int SPINS = 100;

    private final Trace trace;
    private final ReplayTarget target;
    /** For each id whether it is live; releases what its allocation wrote to the thread that frees it. */
    private final AtomicIntegerArray live;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    /** Events done. If threads take turns: the index of the event whose turn it is. */
    private final AtomicInteger doneCount = new AtomicInteger();

    private TraceReplay(Trace trace, ReplayTarget target) {
        this.trace = trace;
        this.target = target;
        live = new AtomicIntegerArray(trace.allocationCount());
    }

    /** One event after the other as recorded, each on its thread: the same at every replay, as far as the allocator is. */
    public static void inOrder(Trace trace, ReplayTarget target) {
        new TraceReplay(trace, target).run(true);
    }

    /**
     * Each thread at its own pace: a free waits for its allocation, and at a mark everybody waits for the slowest, lest whoever only
     * allocates run away from those who free.
     */
    public static void concurrently(Trace trace, ReplayTarget target) {
        new TraceReplay(trace, target).run(false);
    }

    private void run(boolean takesTurns) {
        Thread[] others = new Thread[trace.threadCount() - 1];
        for (int i = 0; i < others.length; i++) {
            int thread = i + 1;
            others[i] = new Thread(() -> runThread(thread, takesTurns), "trace-replay-" + thread);
            others[i].start();
        }
        runThread(0, takesTurns);
        for (Thread other : others) {
            joinUninterruptibly(other);
        }
        Throwable thrown = failure.get();
        if (thrown != null) {
            freeLive();
            throw TraceReplay.<RuntimeException>sneaky(thrown);
        }
    }

    private void runThread(int thread, boolean takesTurns) {
        try {
            for (int index = 0; index < trace.events().size(); index++) {
                TraceEvent event = trace.events().get(index);
                boolean isOwn = Trace.threadOf(event) == thread;
                boolean isAwaited = takesTurns ? isOwn : event instanceof TraceEvent.Mark;
                int before = index;
                if (isAwaited && !await(() -> doneCount.getAcquire() >= before)) {
                    return;
                }
                if (isOwn) {
                    if (!replay(event)) {
                        return;
                    }
                    doneCount.getAndIncrement();
                }
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Whether it was done; if not, another thread has failed. */
    private boolean replay(TraceEvent event) {
        switch (event) {
            case TraceEvent.Allocate(int id, long byteSize, int _) -> {
                target.allocate(id, byteSize);
                live.setRelease(id, 1);
            }
            case TraceEvent.Free(int id, int _) -> {
                if (!await(() -> live.getAcquire(id) != 0)) {
                    return false;
                }
                live.setRelease(id, 0);
                target.free(id);
            }
            case TraceEvent.Mark _ -> {
            }
        }
        return true;
    }

    /** Whether it has come true; if not, a thread has failed. */
    private boolean await(BooleanSupplier condition) {
        for (int spins = 0; !condition.getAsBoolean(); spins++) {
            if (failure.get() != null) {
                return false;
            }
            pause(spins);
        }
        return failure.get() == null;
    }

    private void freeLive() {
        for (int id = 0; id < live.length(); id++) {
            if (live.getAcquire(id) != 0) {
                target.free(id);
            }
        }
    }

    private static void pause(int spins) {
        if (spins < SPINS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }

    /** The threads end by themselves; an interrupt is kept for the caller. */
    private static void joinUninterruptibly(Thread thread) {
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What the allocator threw can only be unchecked, but its static type is Throwable here. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
