package dev.verbena.stress.races;

import java.util.concurrent.atomic.AtomicInteger;

/** Where two actors wait for each other, so that what they do next they do within nanoseconds. */
final class Meeting {
    private static final int SPINS_MAX = 5_000;

    private final AtomicInteger arrived = new AtomicInteger();

    /** Not for ever: the other one may have no processor now. */
    void attend() {
        arrived.incrementAndGet();
        for (int i = 0; arrived.get() < 2 && i < SPINS_MAX; i++) {
            Thread.onSpinWait();
        }
    }
}
