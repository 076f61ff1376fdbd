package dev.verbena.transfer.fabric.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ControlLoopTest {
    /** Longer than a busy machine keeps a thread from running that has only begun to set its timers. */
    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(200);

    @Test
    void timersComeInTheOrderOfTheirTimesAndCancelledOnesNever() throws InterruptedException {
        List<Integer> seen = new CopyOnWriteArrayList<>();
        CountDownLatch last = new CountDownLatch(1);
        try (ControlLoop loop = new ControlLoop("loop", Long.MAX_VALUE)) {
            loop.later(() -> {
                loop.after(Long.MAX_VALUE, () -> seen.add(99));
                loop.after(6 * STEP_NS, last::countDown);
                loop.after(4 * STEP_NS, () -> seen.add(20));
                ControlLoop.Timer off = loop.after(2 * STEP_NS, () -> seen.add(10));
                loop.after(STEP_NS, () -> {
                    seen.add(5);
                    off.cancel();
                });
                loop.after(-1, () -> {
                    seen.add(0);
                    throw new IllegalStateException("it does not take the others with it");
                });
            });
            last.await();
        }
        assertEquals(List.of(0, 5, 20), seen);
    }
}
