package dev.verbena.transfer.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.verbena.transfer.spi.Edge;

class YieldBackoffTest {
    private static final long US = 1_000;
    private static final long MS = 1_000_000;

    /** A clock on which each yield takes as long as it is told. */
    private static final class Clock implements Edge {
        /** Such as System.nanoTime may be. */
        long nowNs = Long.MAX_VALUE - 5 * MS;
        long yieldNs = US / 2;
        private boolean isYielding;

        @Override
        public long nanoTime() {
            if (isYielding) {
                nowNs += yieldNs;
            }
            isYielding = !isYielding;
            return nowNs;
        }

        /** Who is told to sleep has looked at the clock once. */
        void sleep(long ns) {
            isYielding = false;
            nowNs += ns;
        }

        @Override
        public void execute(Runnable task) {
            throw new AssertionError();
        }

        @Override
        public void park(Object blocker, long timeoutNs) {
            throw new AssertionError();
        }
    }

    private final Clock clock = new Clock();
    private final YieldBackoff backoff = new YieldBackoff(clock);

    @BeforeEach
    void begin() {
        clock.sleep(0);
    }

    /** A yield that took long: how long nobody yields behind it, in milliseconds. */
    private int backoffMs() {
        clock.yieldNs = 400 * US;
        assertTrue(backoff.yield());
        clock.yieldNs = US / 2;
        int ms = 0;
        while (!backoff.yield()) {
            clock.sleep(MS);
            ms++;
        }
        return ms;
    }

    @Test
    void whoHasAProcessorToItselfYieldsForEver() {
        for (int i = 0; i < 100_000; i++) {
            assertTrue(backoff.yield());
        }
        clock.yieldNs = 5 * US;
        for (int i = 0; i < 100_000; i++) {
            assertTrue(backoff.yield(), "another one that yields takes nothing");
        }
    }

    @Test
    void afterALongYieldWhoWaitsSleepsForAWhileAndLongerTheMoreOftenThatIs() {
        int[] seen = new int[8];
        for (int i = 0; i < seen.length; i++) {
            seen[i] = backoffMs();
        }
        assertEquals("[1, 2, 4, 8, 16, 32, 32, 32]", Arrays.toString(seen));
    }

    @Test
    void whatIsLongAgoIsForgotten() {
        for (int i = 0; i < 8; i++) {
            backoffMs();
        }
        clock.sleep(200 * MS);
        assertEquals(32, backoffMs());
        clock.sleep(300 * MS);
        assertEquals(1, backoffMs());
        assertEquals(2, backoffMs());
    }
}
