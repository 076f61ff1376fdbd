package dev.verbena.transfer.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.transfer.spi.Edge;

/** Several threads wait, one signal wakes them all. */
class ActivityTest {
    private static final long FOREVER_NS = TimeUnit.HOURS.toNanos(1);

    /** More than there are places for, too. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 100})
    void oneSignalWakesAllThatWait(int waiters) throws InterruptedException {
        Activity activity = new Activity(Edge.ofMachine());
        long seen = activity.count();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < waiters; i++) {
            threads.add(Thread.ofVirtual().start(() -> {
                while (activity.count() == seen) {
                    activity.await(seen, FOREVER_NS);
                }
            }));
        }
        for (Thread thread : threads) {
            while (thread.getState() != Thread.State.TIMED_WAITING && thread.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
        }
        activity.signal();
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(seen + 1, activity.count());
    }

    /** What comes between the look and the waiting is not slept over. */
    @ParameterizedTest
    @ValueSource(longs = {1, 1000})
    void nobodyWaitsForWhatHasCome(long signals) {
        Activity activity = new Activity(Edge.ofMachine());
        long seen = activity.count();
        for (long i = 0; i < signals; i++) {
            activity.signal();
        }
        activity.await(seen, FOREVER_NS);
        assertTrue(activity.count() > seen);
    }
}
