package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.slab.Membarrier;

/** The owner and who lets himself in never meet. */
class OwnerLockTest {
    private static final long DURATION_NS = TimeUnit.SECONDS.toNanos(1);

    private final ReentrantLock revokers = new ReentrantLock();
    private final OwnerLock lock = new OwnerLock();
    /** Plain on purpose: what is between enter and leave, or in a revoker's section, is alone with them. */
    private long first;
    private long second;

    @Test
    void oneOfTheHandshakesIsChosen() {
        assertTrue(Handshake.chosen().isThere());
        assertSame(Membarrier.isThere() ? Handshake.MEMBARRIER : Handshake.SHARED_ARENA, Handshake.chosen());
    }

    @ParameterizedTest
    @EnumSource(Handshake.class)
    void eachHoldsInATrial(Handshake handshake) {
        assumeTrue(handshake.isThere(), () -> "no " + handshake + " on this machine");
        assertTrue(Handshake.Trial.holds(handshake, 2_000));
    }

    /** Edge: it rested on what HotSpot happens to do, with nothing in its place. */
    @ParameterizedTest
    @EnumSource(Handshake.class)
    void whatEachSideDoesIsWholeForTheOther(Handshake handshake) throws Exception {
        assumeTrue(handshake.isThere(), () -> "no " + handshake + " on this machine");
        AtomicReference<Throwable> failure = new AtomicReference<>();
        long start = System.nanoTime();
        Thread owner = Thread.ofPlatform().start(() -> {
            try {
                long steps = 0;
                while (System.nanoTime() - start < DURATION_NS) {
                    for (int i = 0; i < 1000; i++) {
                        enter();
                        step();
                        lock.leave();
                        steps++;
                    }
                }
                assertTrue(steps > 1000);
            } catch (Throwable thrown) {
                failure.set(thrown);
            }
        });
        int revocations = 0;
        while (System.nanoTime() - start < DURATION_NS) {
            revokers.lock();
            lock.revoke();
            handshake.run();
            lock.awaitIdle();
            step();
            revokers.unlock();
            revocations++;
        }
        owner.join();
        assertNull(failure.get());
        assertTrue(revocations > 10, "revocations=" + revocations);
    }

    private void enter() {
        while (!lock.tryEnter()) {
            revokers.lock();
            lock.readmit();
            revokers.unlock();
        }
    }

    private void step() {
        assertEquals(first, second);
        first++;
        second++;
    }

    @Test
    void whoIsRevokedStaysOut() {
        assertTrue(lock.tryEnter());
        lock.leave();
        lock.revoke();
        assertFalse(lock.tryEnter());
        lock.awaitIdle();
        lock.readmit();
        assertTrue(lock.tryEnter());
        lock.leave();
    }
}
