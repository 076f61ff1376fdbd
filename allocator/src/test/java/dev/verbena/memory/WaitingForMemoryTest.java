package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who waits for memory gets it when it is freed, or is told at the deadline. */
class WaitingForMemoryTest {
    private static final long MIB = 1024 * 1024;
    private static final Duration LONG = Duration.ofDays(1);
    private static final Duration SHORT = Duration.ofMillis(20);

    private final TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 4 * MIB, 4 * MIB);
    private final Tensor taken = bytes(3 * MIB);

    @AfterEach
    void close() {
        if (taken.isOpen()) {
            taken.close();
        }
        assertEquals(0, arena.statistics().liveCount());
        arena.close();
    }

    @Test
    void whatIsFreedIsThere() throws Exception {
        Waiting waiting = new Waiting(() -> arena.allocate(ElementType.UINT8, Shape.of(2 * MIB), LONG));
        waiting.awaitSleep();
        taken.close();
        try (Tensor tensor = waiting.outcome()) {
            assertEquals(2 * MIB, tensor.byteSize());
        }
    }

    @Test
    void withOptionsToo() throws Exception {
        TensorOptions options = TensorOptions.defaults().withHeadroomByteSize(16).withZeroed();
        Waiting waiting = new Waiting(() -> arena.allocate(ElementType.UINT8, Shape.of(2 * MIB), options, LONG));
        waiting.awaitSleep();
        taken.close();
        try (Tensor tensor = waiting.outcome()) {
            assertEquals(2 * MIB + 16, tensor.memoryWithHeadroom().byteSize());
        }
    }

    @Test
    void aScopeGetsWhatTheArenaOrAnotherScopeHad() throws Exception {
        try (IterationScope scope = arena.scope(); IterationScope other = arena.scope()) {
            Waiting waiting = new Waiting(() -> scope.allocate(ElementType.UINT8, Shape.of(2 * MIB), LONG));
            waiting.awaitSleep();
            taken.close();
            assertEquals(2 * MIB, waiting.outcome().byteSize());
            Waiting second = new Waiting(() -> other.allocate(ElementType.UINT8, Shape.of(3 * MIB),
                    TensorOptions.defaults().withAlignment(256), LONG));
            second.awaitSleep();
            scope.reset();
            scope.reset();
            assertEquals(0, second.outcome().address() % 256);
        }
    }

    @Test
    void atTheDeadlineOneIsToldWhatWasAskedWhatIsFreeAndHowLongThatWas() {
        try (IterationScope scope = arena.scope()) {
            List<Callable<Tensor>> requests = new ArrayList<>();
            for (Duration deadline : new Duration[]{SHORT, Duration.ZERO, Duration.ofSeconds(-1)}) {
                requests.add(() -> arena.allocate(ElementType.UINT8, Shape.of(2 * MIB), deadline));
                requests.add(() -> scope.allocate(ElementType.UINT8, Shape.of(2 * MIB), deadline));
            }
            for (Callable<Tensor> request : requests) {
                String message = assertThrows(OutOfArenaMemoryException.class, request::call).getMessage();
                assertTrue(message.contains("byteSize=2097152: freeByteSize=1048576 ")
                        && message.matches(".*; waited for it for \\d+ ms"), message);
            }
        }
    }

    @Test
    void whatIsThereIsNotWaitedFor() throws InterruptedException {
        for (Duration deadline : new Duration[]{LONG, Duration.ZERO, Duration.ofSeconds(-1)}) {
            arena.allocate(ElementType.UINT8, Shape.of(MIB), deadline).close();
        }
    }

    @Test
    void whatCanNeverBeIsNotWaitedFor() throws InterruptedException {
        try (IterationScope scope = arena.scope()) {
            for (long byteSize : new long[]{4 * MIB + 1, Long.MAX_VALUE}) {
                assertThrows(OutOfArenaMemoryException.class,
                        () -> arena.allocate(ElementType.UINT8, Shape.of(byteSize), LONG));
                assertThrows(OutOfArenaMemoryException.class,
                        () -> scope.allocate(ElementType.UINT8, Shape.of(byteSize), LONG));
            }
        }
        taken.close();
        arena.allocate(ElementType.UINT8, Shape.of(4 * MIB), LONG).close();
    }

    @Test
    void whoWaitsMayBeInterrupted() throws Exception {
        Waiting waiting = new Waiting(() -> arena.allocate(ElementType.UINT8, Shape.of(2 * MIB), LONG));
        waiting.awaitSleep();
        waiting.thread.interrupt();
        assertInstanceOf(InterruptedException.class,
                assertThrows(ExecutionException.class, waiting::outcome).getCause());
    }

    @Test
    void whoWaitsHearsThatTheArenaIsClosed() throws Exception {
        TensorArena other = TensorArena.create(new OffHeapSlabSource(), MIB, MIB);
        Tensor all = other.allocate(ElementType.UINT8, Shape.of(MIB));
        IterationScope scope = other.scope();
        Waiting inScope = new Waiting(() -> scope.allocate(ElementType.UINT8, Shape.of(MIB), LONG));
        inScope.awaitSleep();
        scope.close();
        assertInstanceOf(IllegalStateException.class,
                assertThrows(ExecutionException.class, inScope::outcome).getCause());
        all.close();
        other.close();
        assertThrows(IllegalStateException.class, () -> other.allocate(ElementType.UINT8, Shape.of(1), LONG));
    }

    /** More threads than there is room for: each gets its turn. */
    @Test
    void manyWhoWaitAllGetTheirs() throws Exception {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Long>> sums = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                sums.add(executor.submit(() -> {
                    long sum = 0;
                    for (int j = 0; j < 20; j++) {
                        try (Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(300_000), LONG)) {
                            sum += tensor.byteSize();
                        }
                    }
                    return sum;
                }));
            }
            for (Future<Long> sum : sums) {
                assertEquals(20 * 300_000, sum.get());
            }
        }
    }

    private Tensor bytes(long byteSize) {
        return arena.allocate(ElementType.UINT8, Shape.of(byteSize));
    }

    /** Somebody who waits in a thread of his own. */
    private static final class Waiting {
        private final FutureTask<Tensor> task;
        private final Thread thread;

        Waiting(Callable<Tensor> request) {
            task = new FutureTask<>(request);
            thread = Thread.ofPlatform().start(task);
        }

        /** Returns once the other one sleeps. */
        void awaitSleep() throws InterruptedException {
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                assertTrue(thread.isAlive(), "it does not wait");
                Thread.sleep(1);
            }
        }

        Tensor outcome() throws InterruptedException, ExecutionException {
            return task.get();
        }
    }
}
