package dev.verbena.stress.races;

import java.util.concurrent.atomic.AtomicInteger;

/** Where two actors wait for each other, so that what they do next they do within nanoseconds. */
final class Meeting {
    /** Not for ever: the other one may have no processor now. */
    static final int SPINS_MAX = 5_000;
    private static final int TURNS_MAX = 50;
    private static final int CALLED_OFF = -1;

    private final AtomicInteger arrived = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();

    /** Not for ever: the other one may have no processor now. */
    void attend() {
        arrived.incrementAndGet();
        awaitTheOther();
    }

    /**
     * As {@link #attend}, and whether they meet, which both are told alike: for what is wrong if only one of them does it. Waits longer,
     * since who goes on alone is ahead from then on, and meets nobody.
     */
    boolean meets() {
        if (arrived.compareAndSet(0, 1)) {
            awaitTheOther();
            for (int i = 0; arrived.get() < 2 && i < TURNS_MAX; i++) {
                Thread.yield();
            }
            return !arrived.compareAndSet(1, CALLED_OFF);
        }
        return arrived.compareAndSet(1, 2);
    }

    /** Of two that met: neither goes on before both have done it. */
    void part() {
        done.incrementAndGet();
        while (done.get() < 2) {
            Thread.yield();
        }
    }

    private void awaitTheOther() {
        for (int i = 0; arrived.get() < 2 && i < SPINS_MAX; i++) {
            Thread.onSpinWait();
        }
    }
}
