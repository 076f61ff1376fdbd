package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Closing with a deadline: what is in flight is waited for, and what never ends is named. */
class ClosingTest {
    private static final long MIB = 1024 * 1024;
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(20);

    private final OffHeapSlabSource source = new OffHeapSlabSource();
    private final TensorArena arena = TensorArena.create(source, MIB, MIB);

    @Test
    void anArenaWaitsForTheLastTransfer() throws Exception {
        Tensor tensor = inFlight(arena.allocate(ElementType.INT32, Shape.of(4)));
        Closing closing = new Closing(() -> arena.close(LONG));
        closing.awaitSleep();
        assertEquals(MIB, source.heldByteSize(), "still waiting");
        tensor.unpin();
        assertNull(closing.outcome());
        assertEquals(0, source.heldByteSize());
        arena.close(Duration.ZERO);
    }

    @Test
    void anArenaRefusesAtTheDeadlineAndSaysHowMany() throws Exception {
        Tensor first = inFlight(arena.allocate(ElementType.INT32, Shape.of(4)));
        Tensor second = inFlight(arena.allocate(ElementType.INT32, Shape.of(100_000)));
        for (Duration deadline : new Duration[]{SHORT, Duration.ZERO, Duration.ofSeconds(-1)}) {
            String message = assertThrows(IllegalStateException.class, () -> arena.close(deadline)).getMessage();
            assertTrue(message.contains("liveCount=2"), message);
        }
        first.unpin();
        second.unpin();
        arena.close(LONG);
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void aScopeWaitsForTheLastTransfer() throws Exception {
        IterationScope scope = arena.scope(4096);
        Tensor first = inFlight(scope.allocate(ElementType.INT32, Shape.of(4)));
        Closing resetting = new Closing(() -> scope.reset(LONG));
        resetting.awaitSleep();
        assertTrue(scope.allocate(ElementType.INT32, Shape.of(4)).isOpen(), "who waits keeps nobody out");
        first.unpin();
        assertNull(resetting.outcome());
        Tensor second = inFlight(scope.allocate(ElementType.INT32, Shape.of(4)));
        Closing closing = new Closing(() -> scope.close(LONG));
        closing.awaitSleep();
        second.unpin();
        assertNull(closing.outcome());
        assertThrows(IllegalStateException.class, () -> scope.allocate(1));
        arena.close();
    }

    @Test
    void aScopeRefusesAtTheDeadlineAndSaysHowMany() throws Exception {
        IterationScope scope = arena.scope(4096);
        Tensor tensor = inFlight(scope.allocate(ElementType.INT32, Shape.of(4)));
        for (Executable end : new Executable[]{() -> scope.reset(SHORT), () -> scope.close(SHORT),
                () -> scope.close(Duration.ZERO)}) {
            String message = assertThrows(IllegalStateException.class, end).getMessage();
            assertTrue(message.contains("pins=1"), message);
        }
        tensor.unpin();
        scope.close(LONG);
        assertThrows(IllegalStateException.class, () -> scope.close(LONG));
        assertThrows(IllegalStateException.class, () -> scope.reset(LONG));
        arena.close();
    }

    @Test
    void whoWaitsMayBeInterrupted() throws Exception {
        Tensor tensor = inFlight(arena.allocate(ElementType.INT32, Shape.of(4)));
        Closing closing = new Closing(() -> arena.close(LONG));
        closing.awaitSleep();
        closing.thread.interrupt();
        assertInstanceOf(InterruptedException.class, closing.outcome());
        tensor.unpin();
        arena.close();
    }

    @Test
    void aWaitWithoutEndIsPossible() throws Exception {
        assertTrue(Deadline.await(Duration.ofSeconds(Long.MAX_VALUE), () -> true));
        assertFalse(Deadline.await(Duration.ZERO, () -> false));
    }

    private static Tensor inFlight(Tensor tensor) {
        tensor.pin();
        tensor.close();
        return tensor;
    }

    /** Somebody who closes in a thread of his own. */
    private static final class Closing {
        private final AtomicReference<Throwable> thrown = new AtomicReference<>();
        private final Thread thread;

        Closing(Executable close) {
            thread = Thread.ofPlatform().start(() -> {
                try {
                    close.execute();
                } catch (Throwable e) {
                    thrown.set(e);
                }
            });
        }

        /** Returns once the other one sleeps, which is not a core's work. */
        void awaitSleep() throws InterruptedException {
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                assertTrue(thread.isAlive(), () -> "it does not wait: " + thrown.get());
                Thread.sleep(1);
            }
        }

        Throwable outcome() throws InterruptedException {
            thread.join();
            return thrown.get();
        }
    }
}
