package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

/** Iterations that end while threads work on them: what they have is theirs until an access says that it is dead. */
class ScopeThreadsTest {
    private static final long MIB = 1024 * 1024;
    private static final int RESETS = 2_000;
    private static final int USES_MIN = 1_000;

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
            resetOften(scope);
            isOver.set(true);
            for (Future<?> end : ends) {
                end.get();
            }
            scope.close();
            assertEquals(0, arena.statistics().liveCount());
            assertTrue(arena.isConsistent());
        }
    }

    @Test
    void noTwoThreadsGetTheSameBytes() throws Exception {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, 64 * MIB);
                IterationScope scope = arena.scope(64 * 1024);
                ExecutorService executor = Executors.newFixedThreadPool(3)) {
            CyclicBarrier start = new CyclicBarrier(3);
            Callable<long[]> allocate = () -> {
                start.await();
                return LongStream.generate(() -> scope.allocate(64, 64).address()).limit(100_000).toArray();
            };
            LongStream all = LongStream.empty();
            for (Future<long[]> addresses : executor.invokeAll(List.of(allocate, allocate, allocate))) {
                all = LongStream.concat(all, Arrays.stream(addresses.get()));
            }
            assertEquals(300_000, all.distinct().count());
            assertEquals(Math.ceilDiv(300_000 * 64, 64 * 1024) * 64 * 1024, scope.heldByteSize(),
                    "who finds a block full that another one has replaced goes on there");
        }
    }

    private void resetOften(IterationScope scope) {
        int resets = 0;
        while (resets < RESETS || whole.get() < USES_MIN) {
            try {
                scope.reset();
                resets++;
            } catch (IllegalStateException pinned) {
                assertTrue(pinned.getMessage().contains("pins="), pinned::getMessage);
            }
            Thread.yield();
        }
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
