package dev.verbena.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

import org.apache.arrow.memory.AllocationReservation;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.TensorArena;

/** Who is refused memory, or has not given it back, is told, in Arrow's words or the arena's. */
class AllocationLimitsTest {
    private static final long MIB = 1 << 20;

    private final OffHeapSlabSource source = new OffHeapSlabSource();
    private final TensorArena arena = TensorArena.create(source, MIB, 4 * MIB);

    @AfterEach
    void close() {
        arena.close();
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void anAllocatorsLimitIsArrows() {
        try (BufferAllocator root = allocator(3 * MIB);
                BufferAllocator child = root.newChildAllocator("child", 0, MIB);
                ArrowBuf first = child.buffer(MIB / 2)) {
            OutOfMemoryException refusal = assertThrows(OutOfMemoryException.class, () -> child.buffer(MIB));
            assertTrue(refusal.getMessage().contains("due to memory limit"), refusal.getMessage());
            assertEquals(first.capacity(), root.getAllocatedMemory());
            assertEquals(1, arena.statistics().liveCount(), "it was not asked");
            assertThrows(OutOfMemoryException.class, () -> root.buffer(3 * MIB));
        }
    }

    @Test
    void anArenaWithoutRoomIsOutOfMemoryAsArrowKnowsIt() {
        try (BufferAllocator root = allocator(Long.MAX_VALUE); ArrowBuf first = root.buffer(2 * MIB)) {
            OutOfMemoryException refusal = assertThrows(OutOfMemoryException.class, () -> root.buffer(3 * MIB));
            assertInstanceOf(OutOfArenaMemoryException.class, refusal.getCause());
            assertTrue(
                    refusal.getMessage().startsWith("no memory for a buffer of byteSize=4194304 of allocator 'ROOT'"),
                    refusal.getMessage());
            assertTrue(refusal.getMessage().endsWith(refusal.getCause().getMessage()), refusal.getMessage());
            assertEquals(first.capacity(), root.getAllocatedMemory(), "what is refused is not accounted");
            root.buffer(MIB).close();
        }
    }

    @Test
    void whatNoArenaHoldsIsRefusedLikewise() {
        try (BufferAllocator root = allocator(Long.MAX_VALUE)) {
            for (long byteSize : new long[]{1L << 40, 1L << 62, Long.MAX_VALUE - 8_192}) {
                assertThrows(OutOfMemoryException.class, () -> root.buffer(byteSize));
            }
            assertEquals(0, root.getAllocatedMemory());
        }
    }

    @Test
    void memoryThatOthersOfTheArenaFreeIsThereForBuffers() {
        try (BufferAllocator one = allocator(Long.MAX_VALUE); BufferAllocator other = allocator(Long.MAX_VALUE)) {
            ArrowBuf all = one.buffer(2 * MIB);
            assertThrows(OutOfMemoryException.class, () -> other.buffer(2 * MIB));
            all.close();
            other.buffer(2 * MIB).close();
        }
    }

    @Test
    void aReservationBecomesABufferOfTheArena() {
        try (BufferAllocator root = allocator(Long.MAX_VALUE);
                AllocationReservation reservation = root.newReservation()) {
            assertTrue(reservation.add(10_000L));
            assertEquals(0, arena.statistics().liveCount());
            try (ArrowBuf buffer = reservation.allocateBuffer()) {
                assertTrue(buffer.capacity() >= 10_000, buffer::toString);
                assertEquals(1, arena.statistics().liveCount());
            }
        }
    }

    /** The arena of this one stays: whoever still has the buffer may use it. */
    @Test
    void aLeakIsReportedByArrowAndHoldsTheArena() {
        TensorArena held = TensorArena.create(new OffHeapSlabSource(), MIB, MIB);
        BufferAllocator root = allocator(held, Long.MAX_VALUE);
        ArrowBuf leaked = root.buffer(4_096);
        IllegalStateException complaint = assertThrows(IllegalStateException.class, root::close);
        assertTrue(complaint.getMessage().contains("Memory leaked: (4096)"), complaint.getMessage());
        assertThrows(IllegalStateException.class, held::close);
        assertThrows(IllegalStateException.class, held::closeForcibly);
        assertEquals(4_096, held.statistics().liveByteSize());
        leaked.setLong(4_088, 42);
        assertEquals(42, leaked.getLong(4_088));
    }

    private BufferAllocator allocator(long byteSizeMax) {
        return allocator(arena, byteSizeMax);
    }

    private static BufferAllocator allocator(TensorArena arena, long byteSizeMax) {
        return new RootAllocator(RootAllocator.configBuilder().maxAllocation(byteSizeMax)
                .allocationManagerFactory(VerbenaAllocationManager.factory(arena)).build());
    }

    @Test
    void anArenaIsNotClosedUnderBuffersEvenByForce() throws InterruptedException {
        try (BufferAllocator root = allocator(Long.MAX_VALUE)) {
            ArrowBuf buffer = root.buffer(4_096);
            buffer.setLong(0, 42);
            String refusal = assertThrows(IllegalStateException.class, arena::close).getMessage();
            assertTrue(refusal.contains("1"), refusal);
            assertThrows(IllegalStateException.class, arena::closeForcibly);
            assertThrows(IllegalStateException.class, () -> arena.closeForcibly(Duration.ofMillis(5)));
            assertEquals(42, buffer.getLong(0));
            root.buffer(1).close();
            buffer.close();
            assertEquals(0, arena.closeForcibly().liveCount());
        }
    }

    @Test
    void anArenaThatIsClosedHasNoBuffers() {
        try (BufferAllocator root = allocator(Long.MAX_VALUE)) {
            arena.close();
            IllegalStateException refusal = assertThrows(IllegalStateException.class, () -> root.buffer(1));
            assertTrue(refusal.getMessage().contains("closed"), refusal.getMessage());
            assertEquals(0, root.getAllocatedMemory());
            assertEquals(0, root.buffer(0).capacity());
        }
    }

    @Test
    void threadsShareAnAllocator() throws Exception {
        try (BufferAllocator root = allocator(Long.MAX_VALUE);
                ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                long mark = i;
                all.add(threads.submit(() -> allocateAndCheck(root, mark)));
            }
            for (Future<?> each : all) {
                each.get();
            }
            assertEquals(0, root.getAllocatedMemory());
            assertEquals(0, arena.statistics().liveCount());
            assertTrue(arena.isConsistent());
        }
    }

    /** From 16 bytes on the first and the last eight are not the same. */
    private static void allocateAndCheck(BufferAllocator root, long mark) {
        for (int i = 0; i < 2_000; i++) {
            try (ArrowBuf buffer = root.buffer(ThreadLocalRandom.current().nextInt(16, 70_000))) {
                buffer.setLong(0, mark);
                buffer.setLong(buffer.capacity() - 8, ~mark);
                assertEquals(mark, buffer.getLong(0));
                assertEquals(~mark, buffer.getLong(buffer.capacity() - 8));
            }
        }
    }
}
