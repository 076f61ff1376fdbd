package dev.verbena.testing.trace;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
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
    private final boolean takesTurns;
    private final Thread[] threads;

    private TraceReplay(Trace trace, ReplayTarget target, boolean takesTurns) {
        this.trace = trace;
        this.target = target;
        this.takesTurns = takesTurns;
        threads = new Thread[trace.threadCount()];
        live = new AtomicIntegerArray(trace.allocationCount());
    }

    /**
     * One event after the other as recorded, each on its thread: the same at every replay, as far as the allocator is. No thread ends before
     * the last event, lest what it leaves behind goes to another one at some replays and not at others.
     */
    public static void inOrder(Trace trace, ReplayTarget target) {
        new TraceReplay(trace, target, true).run();
    }

    /**
     * Each thread at its own pace: a free waits for its allocation, and at a mark everybody waits for the slowest, lest whoever only
     * allocates run away from those who free.
     */
    public static void concurrently(Trace trace, ReplayTarget target) {
        new TraceReplay(trace, target, false).run();
    }

    private void run() {
        threads[0] = Thread.currentThread();
        for (int i = 1; i < threads.length; i++) {
            int thread = i;
            threads[i] = new Thread(() -> runThread(thread), "trace-replay-" + thread);
        }
        for (int i = 1; i < threads.length; i++) {
            threads[i].start();
        }
        runThread(0);
        for (int i = 1; i < threads.length; i++) {
            joinUninterruptibly(threads[i]);
        }
        Throwable thrown = failure.get();
        if (thrown != null) {
            freeLive();
            throw TraceReplay.<RuntimeException>sneaky(thrown);
        }
    }

    private void runThread(int thread) {
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
                    int done = doneCount.incrementAndGet();
                    if (takesTurns) {
                        handOn(done);
                    }
                }
            }
            if (takesTurns) {
                await(() -> doneCount.getAcquire() == trace.events().size());
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
            wakeAll();
        }
    }

    /** Wakes whose turn it is after so many events. */
    private void handOn(int done) {
        if (done == trace.events().size()) {
            wakeAll();
        } else {
            LockSupport.unpark(threads[Trace.threadOf(trace.events().get(done))]);
        }
    }

    private void wakeAll() {
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
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

    /** Who takes turns is woken for his. */
    private void pause(int spins) {
        if (spins < SPINS) {
            Thread.onSpinWait();
        } else if (takesTurns) {
            LockSupport.park(this);
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
