package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;

import org.junit.jupiter.api.Test;

/** Threads allocate blocks of all sizes, free those of others, and now and then somebody keeps all of them out and ends their rooms. */
class RoomsThreadsTest {
    private static final long MIB = 1024 * 1024;
    private static final int THREADS = 4;
    private static final int STEPS = 60_000;
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private final OffHeapSlabSource source = new OffHeapSlabSource();
    private final AtomicLongArray shelf = new AtomicLongArray(300);

    @Test
    void noTwoHaveTheSameMemory() throws Exception {
        run(1024 * MIB);
    }

    /** Half of it is in use: rooms come and go. */
    @Test
    void noTwoHaveTheSameMemoryWhereItIsShort() throws Exception {
        run(88 * MIB);
    }

    private void run(long byteSize) throws Exception {
        AtomicBoolean isDone = new AtomicBoolean();
        try (TensorArena arena = TensorArena.create(source, byteSize, byteSize);
                ExecutorService executor = Executors.newFixedThreadPool(THREADS + 1)) {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = new SplittableRandom(i);
                ends.add(executor.submit(() -> exchange(arena, random)));
            }
            Future<?> looks = executor.submit(() -> {
                for (int i = 0; !isDone.get(); i++) {
                    assertTrue(arena.isConsistent());
                    assertTrue(i % 5 != 0 || arena.statistics().liveByteSize() <= byteSize);
                    Thread.sleep(2);
                }
                return null;
            });
            for (Future<?> end : ends) {
                end.get();
            }
            isDone.set(true);
            looks.get();
            for (int place = 0; place < shelf.length(); place++) {
                free(arena, shelf.getAndSet(place, 0));
            }
            assertEquals(0, arena.statistics().liveCount());
            assertEquals(1, arena.statistics().freeRunCount());
            assertTrue(arena.isConsistent());
        }
    }

    private void exchange(TensorArena arena, SplittableRandom random) {
        for (int step = 0; step < STEPS; step++) {
            long byteSize = random.nextInt(3) == 0 ? random.nextLong(16, 2 * MIB / 3) : random.nextLong(16, 40_000);
            long address = arena.allocateAddress(byteSize);
            ALL.set(ValueLayout.JAVA_LONG, address, byteSize);
            ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, address + byteSize - Long.BYTES, address);
            free(arena, shelf.getAndSet(random.nextInt(shelf.length()), address));
        }
    }

    private static void free(TensorArena arena, long address) {
        if (address != 0) {
            long byteSize = ALL.get(ValueLayout.JAVA_LONG, address);
            assertEquals(address, ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, address + byteSize - Long.BYTES));
            arena.freeAddress(address);
        }
    }
}
