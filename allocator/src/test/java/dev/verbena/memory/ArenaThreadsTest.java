package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

/** What several threads may do to one arena. */
class ArenaThreadsTest {
    private static final long MIB = 1024 * 1024;

    private final OffHeapSlabSource source = new OffHeapSlabSource();

    @Test
    void oneThreadAllocatesAnotherFrees() throws Exception {
        int count = 30_000;
        BlockingQueue<Tensor> queue = new ArrayBlockingQueue<>(50);
        try (TensorArena arena = TensorArena.create(source, MIB, MIB);
                ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Future<Void> consumer = executor.submit(() -> {
                for (int i = 0; i < count; i++) {
                    Tensor tensor = queue.poll(30, TimeUnit.SECONDS);
                    assertNotNull(tensor, "the producer has given up");
                    assertEquals(i, tensor.memory().getAtIndex(ValueLayout.JAVA_INT, 0));
                    tensor.close();
                }
                return null;
            });
            // 51 live ones of at most 16 KiB fit into 1 MiB, wherever the freed ones wait.
            for (int i = 0; i < count; i++) {
                Tensor tensor = arena.allocate(ElementType.INT32, Shape.of(1 + i % 8 * 512));
                tensor.memory().setAtIndex(ValueLayout.JAVA_INT, 0, i);
                assertTrue(queue.offer(tensor, 30, TimeUnit.SECONDS), "the consumer has given up");
            }
            consumer.get();
            ArenaStatistics now = arena.statistics();
            assertEquals(0, now.liveCount());
            assertEquals(count, now.allocationCount());
            assertEquals(MIB, now.largestFreeRunByteSize());
            assertTrue(arena.isConsistent());
        }
    }

    /** More threads than processors, each writing its own number into what it has; short steps, so that they meet often. */
    @Test
    void threadsDoNotDisturbEachOther() throws Exception {
        int threads = 6;
        int rounds = 50_000;
        CyclicBarrier start = new CyclicBarrier(threads);
        List<Future<Void>> ends = new ArrayList<>();
        try (TensorArena arena = TensorArena.create(source, 4 * MIB, 4 * MIB);
                ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (int thread = 1; thread <= threads; thread++) {
                long number = thread;
                ends.add(executor.submit(() -> {
                    start.await();
                    return writeAndCheck(arena, number, rounds);
                }));
            }
            for (Future<Void> end : ends) {
                end.get();
            }
            assertEquals((long) threads * rounds, arena.statistics().allocationCount());
            assertEquals(0, arena.statistics().liveCount());
            assertEquals(4 * MIB, arena.statistics().largestFreeRunByteSize());
            assertTrue(arena.isConsistent());
        }
    }

    private static Void writeAndCheck(TensorArena arena, long number, int rounds) {
        Shape[] shapes = {Shape.of(8), Shape.of(9), Shape.of(600), Shape.of(5_000)};
        Tensor[] live = new Tensor[8];
        for (int round = 0; round < rounds; round++) {
            int place = round % live.length;
            if (live[place] != null) {
                free(live[place], number);
            }
            live[place] = arena.allocate(ElementType.INT64, shapes[round / 3 % shapes.length]);
            live[place].memory().setAtIndex(ValueLayout.JAVA_LONG, 0, number);
        }
        for (Tensor tensor : live) {
            free(tensor, number);
        }
        return null;
    }

    private static void free(Tensor tensor, long number) {
        assertEquals(number, tensor.memory().getAtIndex(ValueLayout.JAVA_LONG, 0));
        tensor.close();
    }

    @Test
    void whatOtherThreadsHaveIdleIsThereWhenItIsNeeded() throws Exception {
        try (TensorArena arena = TensorArena.create(source, MIB, MIB)) {
            for (int thread = 0; thread < 8; thread++) {
                Thread other = Thread.ofPlatform().start(() -> {
                    List<Tensor> tensors = new ArrayList<>();
                    for (int size = 1; size < 20_000; size = size * 3 / 2 + 1) {
                        tensors.add(arena.allocate(ElementType.UINT8, Shape.of(size)));
                    }
                    tensors.forEach(Tensor::close);
                });
                other.join();
            }
            Tensor all = arena.tryAllocate(ElementType.UINT8, Shape.of(MIB));
            assertNotNull(all);
            all.close();
        }
    }

    @Test
    void virtualThreadsAreLikeAnyOthers() throws Exception {
        try (TensorArena arena = TensorArena.create(source, 0, 64 * MIB)) {
            ArenaModel model = new ArenaModel();
            List<Future<?>> ends = new ArrayList<>();
            try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int thread = 0; thread < 500; thread++) {
                    int size = thread * 97;
                    ends.add(executor.submit(() -> {
                        Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(size));
                        model.allocated(tensor);
                        Thread.yield();
                        model.freeing(tensor.memory());
                        tensor.close();
                    }));
                }
            }
            for (Future<?> end : ends) {
                end.get();
            }
            model.check(arena);
        }
    }

    /** The arena is closed as soon as that is possible, while the last pin is just being given up. */
    @Test
    void closingWhileTheLastPinGoes() throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            for (int round = 0; round < 400; round++) {
                TensorArena arena = TensorArena.create(source, MIB, MIB);
                Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(round % 2 == 0 ? 100 : 100_000));
                tensor.pin();
                tensor.close();
                Future<Void> unpinning = executor.submit(() -> {
                    start.await();
                    tensor.unpin();
                    return null;
                });
                start.await();
                while (!unpinning.isDone() && !closed(arena)) {
                    Thread.onSpinWait();
                }
                unpinning.get();
                arena.close();
                assertEquals(0, source.heldByteSize());
                assertTrue(arena.isConsistent());
            }
        }
    }

    /** In steady state a tensor is one small object; its segment comes when it is asked for. */
    @Test
    void allocatesLittleInTheJavaHeap() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().threadId();
        Shape[] shapes = {Shape.of(10), Shape.of(1_000), Shape.of(20_000), Shape.of(100_000)};
        int rounds = 5_000;
        try (TensorArena arena = TensorArena.create(source, 4 * MIB, 4 * MIB)) {
            allocateAndFree(arena, shapes, rounds);
            long before = threads.getThreadAllocatedBytes(thread);
            allocateAndFree(arena, shapes, rounds);
            long perTensor = (threads.getThreadAllocatedBytes(thread) - before) / (rounds * shapes.length);
            assertTrue(perTensor <= 56, "bytes per tensor: " + perTensor);
        }
    }

    private static void allocateAndFree(TensorArena arena, Shape[] shapes, int rounds) {
        Tensor[] tensors = new Tensor[shapes.length];
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < shapes.length; i++) {
                tensors[i] = arena.allocate(ElementType.UINT8, shapes[i]);
            }
            for (Tensor tensor : tensors) {
                tensor.close();
            }
        }
    }

    private static boolean closed(TensorArena arena) {
        try {
            arena.close();
            return true;
        } catch (IllegalStateException e) {
            assertTrue(e.getMessage().contains("liveCount=1"), e.getMessage());
            return false;
        }
    }
}
