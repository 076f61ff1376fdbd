package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Segments of an arena with a lifetime of the caller's. */
class LifetimeAllocatorTest {
    private static final long MIB = 1024 * 1024;

    private final TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, 16 * MIB);

    @AfterEach
    void close() {
        assertTrue(arena.isConsistent());
        assertEquals(0, arena.statistics().liveCount());
        arena.close();
    }

    @Test
    void blocksGoBackWhenTheLifetimeEnds() {
        MemorySegment segment;
        try (Arena lifetime = Arena.ofConfined()) {
            SegmentAllocator allocator = arena.segmentAllocator(lifetime);
            segment = allocator.allocateFrom(ValueLayout.JAVA_LONG, 1, 2, 3);
            assertEquals(3, segment.getAtIndex(ValueLayout.JAVA_LONG, 2));
            assertEquals("verbena", allocator.allocateFrom("verbena").getString(0));
            assertEquals(lifetime.scope(), segment.scope());
            assertEquals(2, arena.statistics().liveCount());
            assertThrows(IllegalStateException.class, arena::close);
        }
        assertEquals(0, arena.statistics().liveCount());
        assertThrows(IllegalStateException.class, () -> segment.get(ValueLayout.JAVA_LONG, 0));
    }

    @Test
    void sizesAndAlignmentsAreHonoured() {
        try (Arena lifetime = Arena.ofShared()) {
            SegmentAllocator allocator = arena.segmentAllocator(lifetime);
            MemorySegment nothing = allocator.allocate(0, 1);
            assertEquals(0, nothing.byteSize());
            assertNotEquals(nothing.address(), allocator.allocate(0, 1).address());
            for (long alignment = 1; alignment <= MIB; alignment *= 2) {
                MemorySegment segment = allocator.allocate(100, alignment);
                assertEquals(100, segment.byteSize());
                assertEquals(0, segment.address() % alignment);
                segment.fill((byte) 1);
            }
        }
    }

    @Test
    void wrongRequestsTakeNothing() throws Exception {
        Arena closed = Arena.ofConfined();
        SegmentAllocator allocator = arena.segmentAllocator(closed);
        assertThrows(IllegalArgumentException.class, () -> allocator.allocate(-1));
        assertThrows(IllegalArgumentException.class, () -> allocator.allocate(1, 3));
        assertThrows(OutOfArenaMemoryException.class, () -> allocator.allocate(17 * MIB));
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread.ofPlatform().start(() -> thrown.set(
                assertThrows(WrongThreadException.class, () -> allocator.allocate(1)))).join();
        assertTrue(thrown.get() instanceof WrongThreadException, "a confined lifetime is of its thread");
        closed.close();
        assertThrows(IllegalStateException.class, () -> allocator.allocate(1));
        assertThrows(NullPointerException.class, () -> arena.segmentAllocator(null));
    }
}
