package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.heap.SlotHeap;

/** One thread: what an arena gives, and each of its errors. */
class TensorArenaTest {
    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;
    private static final long GIB = 1024 * MIB;

    private final OffHeapSlabSource source = new OffHeapSlabSource();

    @Test
    void tensorsWithoutElementsHaveAddressesOfTheirOwn() {
        try (TensorArena arena = TensorArena.create(source, MIB, MIB)) {
            Tensor first = arena.allocate(ElementType.FLOAT32, Shape.of(0));
            Tensor second = arena.allocate(ElementType.FLOAT32, Shape.of(3, 0));
            assertEquals(0, first.byteSize());
            assertNotEquals(first.address(), second.address());
            assertEquals(0, first.asByteBuffer().capacity());
            assertEquals(128, arena.statistics().liveByteSize());
            first.close();
            second.close();
            assertTrue(arena.isConsistent());
        }
    }

    @Test
    void addressesLeadToTheirSlab() {
        try (TensorArena arena = TensorArena.create(source, MIB, 4 * MIB);
                Tensor first = bytes(arena, 100);
                Tensor second = bytes(arena, 2 * MIB)) {
            assertSame(first.slab(), arena.slabAt(first.address()));
            assertSame(second.slab(), arena.slabAt(second.address() + 2 * MIB - 1));
            assertNotSame(first.slab(), second.slab());
            assertThrows(IllegalStateException.class, () -> arena.slabAt(64));
        }
    }

    @Test
    void statisticsCountWhatHappened() {
        try (TensorArena arena = TensorArena.create(source, MIB, MIB)) {
            assertFigures(arena, 0, 0, MIB, 1, 0, 0);
            Tensor large = bytes(arena, 100 * KIB);
            Tensor small = bytes(arena, 65);
            assertFigures(arena, 100 * KIB + 128, 100 * KIB + 128, MIB - 104 * KIB, 1, 2, 2);
            large.close();
            assertFigures(arena, 128, 100 * KIB + 128, MIB - 4 * KIB, 1, 1, 2);
            small.close();
            assertFigures(arena, 0, 100 * KIB + 128, MIB, 1, 0, 2);
            assertTrue(arena.isConsistent());
        }
    }

    private static void assertFigures(TensorArena arena, long live, long peak, long largestFree, long freeRuns,
            long liveCount, long allocationCount) {
        ArenaStatistics now = arena.statistics();
        assertEquals(List.of(MIB, 1L, live, peak, MIB - live, largestFree, freeRuns, liveCount, allocationCount),
                List.of(now.slabByteSize(), (long) now.slabCount(), now.liveByteSize(), now.livePeakByteSize(),
                        now.freeByteSize(), now.largestFreeRunByteSize(), now.freeRunCount(), now.liveCount(),
                        now.allocationCount()));
    }

    @Test
    void outOfMemorySaysWhatWasAskedAndWhatThereIs() {
        try (TensorArena arena = TensorArena.create(source, MIB, MIB); Tensor half = bytes(arena, MIB / 2)) {
            Shape shape = Shape.of(150_000);
            String message = assertThrows(OutOfArenaMemoryException.class,
                    () -> arena.allocate(ElementType.FLOAT32, shape))
                    .getMessage();
            for (String part : new String[]{"FLOAT32[150000]", "byteSize=600000", "freeByteSize=524288",
                    "largestFreeRunByteSize=524288", "slabByteSize=1048576", "byteSizeMax=1048576", "liveCount=1"}) {
                assertTrue(message.contains(part), part + " is missing: " + message);
            }
            assertNull(arena.tryAllocate(ElementType.FLOAT32, shape));
            assertEquals(MIB / 2, half.byteSize());
        }
    }

    @Test
    void absurdSizesAreOutOfMemoryToo() {
        try (TensorArena arena = TensorArena.create(source, 0, Long.MAX_VALUE)) {
            assertThrows(OutOfArenaMemoryException.class, () -> bytes(arena, Long.MAX_VALUE));
            assertNull(arena.tryAllocate(ElementType.UINT8, Shape.of(1L << 60)));
            assertThrows(IllegalArgumentException.class,
                    () -> arena.allocate(ElementType.FLOAT64, Shape.of(Long.MAX_VALUE / 2)));
            assertEquals(0, arena.statistics().slabCount());
        }
    }

    @Test
    void anArenaWithoutMemoryHasNone() {
        try (TensorArena arena = TensorArena.create(source, 0, 0)) {
            assertNull(arena.tryAllocate(ElementType.UINT8, Shape.of(0)));
            assertTrue(arena.isConsistent());
        }
    }

    @Test
    void smallTensorsFillTheLastPagesTooWhenRunsOfTheirClassDoNotFit() {
        // 4,608 bytes come 7 to a run of 8 pages; the 3 pages behind it have room for one more.
        try (TensorArena arena = TensorArena.create(source, 11 * 4096, 11 * 4096)) {
            Tensor[] tensors = new Tensor[8];
            for (int i = 0; i < tensors.length; i++) {
                tensors[i] = bytes(arena, 4608);
            }
            assertNull(arena.tryAllocate(ElementType.UINT8, Shape.of(4608)));
            assertTrue(arena.isConsistent());
            for (Tensor tensor : tensors) {
                tensor.close();
            }
            assertEquals(1, arena.statistics().freeRunCount());
        }
    }

    @Test
    void beforeALargeBlockMakesTheLongestHoleShorterIdleRunsBecomeHoles() {
        try (TensorArena arena = TensorArena.create(source, MIB, MIB)) {
            long[] small = new long[4];
            for (int i = 0; i < small.length; i++) {
                small[i] = arena.allocateAddress(64 * KIB);
            }
            long before = arena.allocateAddress(80 * KIB);
            for (long block : small) {
                arena.freeAddress(block);
            }
            // 256 KiB of idle runs, one block each, are a better fit than what is free at the begin.
            assertEquals(small[3], arena.allocateAddress(200 * KIB));
            assertTrue(arena.isConsistent());
            assertEquals(small[3] - 80 * KIB, before);
            arena.freeAddress(small[3]);
            arena.freeAddress(before);
        }
    }

    @Test
    void aThreadKeepsLittleOfWhatItFreesInWhateverOrder() {
        try (TensorArena arena = TensorArena.create(source, 0, GIB)) {
            for (long byteSize : new long[]{KIB, 10_000, 40_000}) {
                List<Long> blocks = new ArrayList<>();
                for (long all = 0; all < 8 * SlotHeap.CACHED_BYTE_SIZE; all += byteSize) {
                    blocks.add(arena.allocateAddress(byteSize));
                }
                Collections.shuffle(blocks, new Random(byteSize));
                blocks.forEach(arena::freeAddress);
                assertEquals(0, arena.recentStatistics().liveByteSize());
                long cached = cachedByteSize(arena);
                assertTrue(cached <= SlotHeap.CACHED_BYTE_SIZE, () -> "byteSize=" + byteSize + " cached=" + cached);
                assertTrue(arena.isConsistent());
            }
        }
    }

    @Test
    void idleRunsStayIfAHoleFitsALargeBlockExactly() {
        try (TensorArena arena = TensorArena.create(source, MIB, MIB)) {
            long small = arena.allocateAddress(64 * KIB);
            long hole = arena.allocateAddress(128 * KIB);
            long behind = arena.allocateAddress(128 * KIB);
            arena.freeAddress(small);
            arena.freeAddress(hole);
            assertEquals(hole, arena.allocateAddress(128 * KIB));
            assertEquals(64 * KIB, cachedByteSize(arena));
            arena.freeAddress(hole);
            arena.freeAddress(behind);
        }
    }

    @Test
    void closeRefusesWhileTensorsAreLiveOrPinned() {
        TensorArena arena = TensorArena.create(source, MIB, MIB);
        Tensor live = bytes(arena, 100 * KIB);
        Tensor pinned = bytes(arena, 64);
        pinned.pin();
        pinned.close();
        String message = assertThrows(IllegalStateException.class, arena::close).getMessage();
        assertTrue(message.contains("liveCount=2") && message.contains("liveByteSize=102464"), message);
        live.memory().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        live.close();
        assertThrows(IllegalStateException.class, arena::close);
        assertEquals(MIB, source.heldByteSize());
        pinned.unpin();
        arena.close();
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void aClosedArenaAllocatesNothing() {
        TensorArena arena = TensorArena.create(source, MIB, 2 * MIB);
        bytes(arena, 64).close();
        Slab slab = bytesThenFree(arena);
        arena.close();
        arena.close();
        for (long byteSize : new long[]{0, 64, MIB}) {
            String message = assertThrows(IllegalStateException.class, () -> bytes(arena, byteSize)).getMessage();
            assertTrue(message.contains("closed arena"), message);
            assertThrows(IllegalStateException.class, () -> arena.tryAllocate(ElementType.UINT8, Shape.of(byteSize)));
        }
        assertThrows(IllegalStateException.class, () -> slab.memory().get(ValueLayout.JAVA_BYTE, 0));
        assertTrue(arena.isConsistent());
        assertEquals(0, arena.statistics().slabByteSize());
    }

    @Test
    void aForeignTensorIsNotFreed() {
        try (TensorArena arena = TensorArena.create(source, MIB, MIB);
                TensorArena other = TensorArena.create(source, MIB, MIB)) {
            Tensor tensor = bytes(arena, 100);
            assertTrue(arena.owns(tensor));
            assertFalse(other.owns(tensor));
            String message = assertThrows(IllegalArgumentException.class, () -> other.free(tensor)).getMessage();
            assertTrue(message.contains("foreign tensor") && message.contains("UINT8[100]"), message);
            Tensor unmanaged = Tensor.over(tensor.slab(), 0, ElementType.UINT8, Shape.of(1), () -> {});
            assertThrows(IllegalArgumentException.class, () -> arena.free(unmanaged));
            assertTrue(tensor.isOpen() && unmanaged.isOpen());
            arena.free(tensor);
            assertThrows(IllegalStateException.class, () -> arena.free(tensor));
            assertEquals(0, arena.statistics().liveCount());
        }
    }

    @Test
    void sizesThatMakeNoSenseAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> TensorArena.create(source, -1, MIB));
        assertThrows(IllegalArgumentException.class, () -> TensorArena.create(source, MIB, MIB - 1));
        assertThrows(IllegalArgumentException.class, () -> TensorArena.create(source, Long.MAX_VALUE, Long.MAX_VALUE));
        assertThrows(NullPointerException.class, () -> TensorArena.create(null, 0, MIB));
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void slabsOfMoreThanFourGibibytes() {
        long byteSize = 4 * GIB + 64 * MIB;
        try (TensorArena arena = TensorArena.create(source, byteSize, byteSize)) {
            Tensor huge = arena.allocate(ElementType.FLOAT32, Shape.of(GIB + 2));
            assertEquals(4 * GIB + 8, huge.byteSize());
            Tensor behind = arena.allocate(ElementType.INT64, Shape.of(MIB));
            Tensor small = arena.allocate(ElementType.INT64, Shape.of(5));
            assertTrue(behind.slabOffset() > 4 * GIB && small.slabOffset() > 4 * GIB);
            huge.memory().setAtIndex(ValueLayout.JAVA_FLOAT, GIB + 1, 7f);
            huge.memory().setAtIndex(ValueLayout.JAVA_FLOAT, 0, 8f);
            MemorySegment words = behind.memory();
            words.setAtIndex(ValueLayout.JAVA_LONG, 0, 9);
            words.setAtIndex(ValueLayout.JAVA_LONG, MIB - 1, 10);
            small.memory().fill((byte) 11);
            assertEquals(7f, huge.memory().getAtIndex(ValueLayout.JAVA_FLOAT, GIB + 1));
            assertEquals(8f, huge.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 0));
            assertEquals(9, words.getAtIndex(ValueLayout.JAVA_LONG, 0));
            assertEquals(10, words.getAtIndex(ValueLayout.JAVA_LONG, MIB - 1));
            assertTrue(arena.isConsistent());
            huge.close();
            behind.close();
            small.close();
            assertEquals(byteSize, arena.statistics().largestFreeRunByteSize());
            Tensor again = bytes(arena, byteSize);
            assertNotNull(again);
            again.close();
        }
        assertEquals(0, source.heldByteSize());
    }

    private static long cachedByteSize(TensorArena arena) {
        return arena.recentStatistics().heaps().stream().mapToLong(ArenaStatistics.HeapUsage::cachedByteSize).sum();
    }

    private static Tensor bytes(TensorArena arena, long byteSize) {
        return arena.allocate(ElementType.UINT8, Shape.of(byteSize));
    }

    private static Slab bytesThenFree(TensorArena arena) {
        Tensor tensor = bytes(arena, MIB);
        tensor.close();
        return tensor.slab();
    }
}
