package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

/** Iterations that end while threads work on them: what they have is theirs until an access says that it is dead. */
class ScopeThreadsTest {
    private static final long MIB = 1024 * 1024;
    private static final int RESETS = 2_000;

    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicLong whole = new AtomicLong();

    @Test
    void anEndAgainstUse() throws Exception {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, 64 * MIB);
                ExecutorService executor = Executors.newFixedThreadPool(3)) {
            IterationScope scope = arena.scope(64 * 1024);
            List<Future<?>> ends = new ArrayList<>();
            for (long number = 1; number <= 3; number++) {
                long own = number;
                ends.add(executor.submit(() -> use(scope, own)));
            }
            int refusals = resetOften(scope);
            isOver.set(true);
            for (Future<?> end : ends) {
                end.get();
            }
            assertTrue(refusals < RESETS, "some resets met no pin");
            assertTrue(whole.get() > 0, "some uses met no reset");
            scope.close();
            assertEquals(0, arena.statistics().liveCount());
            assertTrue(arena.isConsistent());
        }
    }

    /** @return how many were refused because of a pin */
    private static int resetOften(IterationScope scope) {
        int refusals = 0;
        for (int i = 0; i < RESETS; i++) {
            try {
                scope.reset();
            } catch (IllegalStateException pinned) {
                assertTrue(pinned.getMessage().contains("pins="), pinned::getMessage);
                refusals++;
            }
            Thread.yield();
        }
        return refusals;
    }

    private void use(IterationScope scope, long number) {
        while (!isOver.get()) {
            try {
                use(scope.allocate(ElementType.INT64, Shape.of(1 + number * 100)), number);
            } catch (OutOfArenaMemoryException refused) {
                // No reset has met a moment without a pin for long.
                Thread.yield();
            }
        }
    }

    private void use(Tensor tensor, long number) {
        try {
            writeAndRead(tensor.memory(), number);
            pinnedUse(tensor, number);
            whole.incrementAndGet();
        } catch (IllegalStateException dead) {
            assertFalse(tensor.isOpen(), () -> "refused although it lives: " + dead);
        }
    }

    /** What is pinned does not die in between. */
    private static void pinnedUse(Tensor tensor, long number) {
        tensor.pin();
        try {
            writeAndRead(tensor.memory(), number);
        } catch (IllegalStateException impossible) {
            throw new AssertionError("died although pinned", impossible);
        } finally {
            tensor.unpin();
        }
    }

    private static void writeAndRead(MemorySegment memory, long number) {
        memory.setAtIndex(ValueLayout.JAVA_LONG, 0, number);
        memory.setAtIndex(ValueLayout.JAVA_LONG, number * 100, number);
        assertEquals(number, memory.getAtIndex(ValueLayout.JAVA_LONG, 0));
        assertEquals(number, memory.getAtIndex(ValueLayout.JAVA_LONG, number * 100));
    }
}
