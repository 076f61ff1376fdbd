package dev.verbena.transfer.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.transfer.Progress;
import dev.verbena.transfer.spi.Edge;

/** A virtual thread that drives can lose its carrier to others, which wait for what it does. */
class VirtualDriverTest {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);
    /** By then each of the two has yielded to the other. */
    private static final int LOOKS = 10_000;

    private final Engines engines = new Engines("device", List.of(new FakeCompletionQueue()), Progress.callers(),
            Edge.ofMachine(), true);
    private final Engine engine = engines.all().getFirst();
    private final ReentrantLock held = new ReentrantLock();
    private final AtomicInteger looks = new AtomicInteger();
    private volatile boolean isDone;
    private volatile boolean areCarriersFree;

    @AfterEach
    void freeCarriers() {
        areCarriersFree = true;
    }

    /**
     * Two that yield to each other are all that their carrier sees. The driver, which a platform thread lets go on, is behind them in another
     * line.
     */
    @Test
    void whoWaitsForItGivesItTheCarrier() throws InterruptedException {
        occupyAllCarriersButOne();
        held.lock();
        CountDownLatch isDriving = new CountDownLatch(1);
        Thread driver = Thread.startVirtualThread(() -> engine.execute(() -> {
            isDriving.countDown();
            held.lock();
            held.unlock();
        }));
        isDriving.await();
        engine.enqueue(() -> isDone = true);
        ConcurrentLinkedQueue<Boolean> seen = new ConcurrentLinkedQueue<>();
        CountDownLatch ended = new CountDownLatch(2);
        Thread.startVirtualThread(() -> {
            for (int i = 0; i < 2; i++) {
                Thread.startVirtualThread(() -> {
                    seen.add(engines.await(this::isDone, PATIENCE_NS));
                    ended.countDown();
                });
            }
        });
        while (looks.get() < LOOKS) {
            Thread.onSpinWait();
        }
        held.unlock();
        ended.await();
        driver.join();
        assertEquals(List.of(true, true), List.copyOf(seen));
    }

    private boolean isDone() {
        looks.incrementAndGet();
        return isDone;
    }

    private void occupyAllCarriersButOne() throws InterruptedException {
        int others = Runtime.getRuntime().availableProcessors() - 1;
        CountDownLatch occupied = new CountDownLatch(others);
        for (int i = 0; i < others; i++) {
            Thread.startVirtualThread(() -> {
                occupied.countDown();
                while (!areCarriersFree) {
                    Thread.onSpinWait();
                }
            });
        }
        occupied.await();
    }
}
