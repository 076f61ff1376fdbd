package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

/** Several threads in a debug arena: no false alarm, and each free of a race but one is refused. */
class DebugArenaThreadsTest {
    private static final long MIB = 1024 * 1024;
    private static final int THREADS = 4;

    private final OffHeapSlabSource source = new OffHeapSlabSource();

    @Test
    void checksBesideThreadsAtWorkFindNothing() throws Exception {
        Queue<Tensor> handedOver = new ConcurrentLinkedQueue<>();
        AtomicBoolean isOver = new AtomicBoolean();
        try (DebugArena arena = DebugArena.create(source, MIB, 64 * MIB,
                DebugOptions.defaults().withQuarantineByteSizeMax(MIB));
                ExecutorService executor = Executors.newFixedThreadPool(THREADS + 1)) {
            Future<Integer> checks = executor.submit(() -> checkUntil(isOver, arena));
            List<Callable<Void>> workers = new ArrayList<>();
            for (int seed = 1; seed <= THREADS; seed++) {
                Random random = new Random(seed);
                workers.add(() -> work(arena, random, handedOver));
            }
            for (Future<Void> worker : executor.invokeAll(workers)) {
                worker.get();
            }
            isOver.set(true);
            assertTrue(checks.get() > 0);
            handedOver.forEach(Tensor::close);
            assertTrue(arena.isConsistent());
            assertEquals(0, arena.statistics().liveCount());
        }
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void ofTwoFreesAtOnceOneIsRefused() throws Exception {
        try (DebugArena arena = DebugArena.create(source, MIB, 64 * MIB,
                DebugOptions.defaults().withQuarantineByteSizeMax(0));
                ExecutorService executor = Executors.newFixedThreadPool(2)) {
            CyclicBarrier start = new CyclicBarrier(2);
            for (int round = 0; round < 500; round++) {
                long address = arena.allocateAddress(64);
                Callable<Void> free = () -> {
                    start.await();
                    arena.freeAddress(address);
                    return null;
                };
                int refused = 0;
                for (Future<Void> one : executor.invokeAll(List.of(free, free))) {
                    refused += isRefused(one) ? 1 : 0;
                }
                assertEquals(1, refused, "round " + round);
            }
        }
    }

    private static boolean isRefused(Future<Void> free) throws InterruptedException {
        try {
            free.get();
            return false;
        } catch (ExecutionException e) {
            assertInstanceOf(IllegalStateException.class, e.getCause());
            assertTrue(e.getCause().getMessage().startsWith("double free"), e.getCause()::getMessage);
            return true;
        }
    }

    private static int checkUntil(AtomicBoolean isOver, DebugArena arena) {
        int checks = 0;
        do {
            arena.check();
            checks++;
        } while (!isOver.get());
        return checks;
    }

    /** Allocates, fills, hands over to any thread, frees what it is handed. */
    private static Void work(DebugArena arena, Random random, Queue<Tensor> handedOver) {
        for (int i = 0; i < 1500; i++) {
            Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(random.nextInt(1 << random.nextInt(1, 15))));
            if (i % 50 == 0) {
                // Not each time: the end of such a segment waits for every thread.
                tensor.memory().fill((byte) i);
            }
            handedOver.add(tensor);
            if (handedOver.size() > 100) {
                handedOver.remove().close();
            }
        }
        return null;
    }
}
