package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One thread: what a scope gives, and each of its errors. */
class IterationScopeTest {
    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;

    private final OffHeapSlabSource source = new OffHeapSlabSource();
    private final TensorArena arena = TensorArena.create(source, MIB, 64 * MIB);

    @AfterEach
    void close() {
        assertTrue(arena.isConsistent());
        assertEquals(0, arena.statistics().liveCount());
        arena.close();
    }

    @Test
    void allIsFreedAtOnceAndTheTensorsKnow() {
        IterationScope scope = arena.scope();
        List<Tensor> tensors = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            tensors.add(scope.allocate(ElementType.FLOAT32, Shape.of(i % 100)));
        }
        assertEquals(3, arena.statistics().liveCount(), "blocks of 1 MiB, not tensors");
        scope.close();
        assertEquals(0, arena.statistics().liveCount());
        for (Tensor tensor : tensors) {
            assertFalse(tensor.isOpen());
        }
        Tensor last = tensors.getLast();
        for (Executable use : List.<Executable>of(last::memory, last::address, last::asByteBuffer, last::pin,
                () -> TensorLease.of(last), () -> last.reshaped(Shape.of(99, 1)))) {
            assertTrue(refusal(use).contains("scope"));
        }
        assertTrue(refusal(last::close).contains("double free"));
        assertThrows(IllegalStateException.class, last::unpin);
        assertEquals(0, last.pins());
    }

    @Test
    void viewsDieWithTheScope() {
        IterationScope scope = arena.scope();
        Tensor tensor = scope.allocate(ElementType.INT64, Shape.of(2));
        MemorySegment memory = tensor.memory();
        ByteBuffer buffer = tensor.asByteBuffer();
        MemorySegment segment = scope.allocate(16);
        memory.set(ValueLayout.JAVA_LONG, 8, 7);
        assertEquals(7, buffer.getLong(8));
        scope.reset();
        assertThrows(IllegalStateException.class, () -> memory.get(ValueLayout.JAVA_LONG, 8));
        assertThrows(IllegalStateException.class, () -> buffer.getLong(8));
        assertThrows(IllegalStateException.class, () -> segment.fill((byte) 1));
        assertFalse(segment.scope().isAlive());
        scope.close();
    }

    @Test
    void aTensorOfAScopeIsLikeAnyOther() {
        try (IterationScope scope = arena.scope(4 * KIB)) {
            Tensor tensor = scope.allocate(ElementType.FLOAT32, Shape.of(6));
            assertEquals(0, tensor.address() % 64);
            assertEquals(24, tensor.memory().byteSize());
            assertEquals(tensor.address(), tensor.memory().address());
            assertEquals(tensor.address(), tensor.slab().memory().address() + tensor.slabOffset());
            Tensor ordinary = arena.allocate(ElementType.FLOAT32, Shape.of(1));
            assertSame(ordinary.slab(), tensor.slab());
            ordinary.close();
            assertTrue(tensor.reshaped(Shape.of(2, 3)).sharesStorageWith(tensor));
            assertFalse(arena.owns(tensor));
        }
    }

    @Test
    void oneMayBeClosedEarlyAndKeepsItsPlace() {
        try (IterationScope scope = arena.scope()) {
            Tensor early = scope.allocate(ElementType.UINT8, Shape.of(100));
            long address = early.address();
            early.close();
            assertThrows(IllegalStateException.class, early::memory);
            assertTrue(refusal(early::close).contains("double free"));
            Tensor next = scope.allocate(ElementType.UINT8, Shape.of(100));
            assertEquals(address + 128, next.address());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 8, 64, 128, 4096, 8192, 65_536, 2 * MIB})
    void segmentsAreAligned(long alignment) {
        try (IterationScope scope = arena.scope()) {
            for (long byteSize : new long[]{0, 1, 7, 100, 5000, 300_000}) {
                MemorySegment segment = scope.allocate(byteSize, alignment);
                assertEquals(byteSize, segment.byteSize());
                assertEquals(0, segment.address() % alignment);
                segment.fill((byte) 1);
            }
        }
    }

    @Test
    void nothingTakesNoBytesButAPlace() {
        try (IterationScope scope = arena.scope()) {
            MemorySegment first = scope.allocate(0);
            MemorySegment second = scope.allocate(0);
            assertEquals(0, second.byteSize());
            assertNotEquals(first.address(), second.address());
            Tensor third = scope.allocate(ElementType.INT32, Shape.of(0));
            Tensor fourth = scope.allocate(ElementType.INT32, Shape.of(0));
            assertNotEquals(third.address(), fourth.address());
            assertEquals(0, fourth.memory().byteSize());
        }
    }

    @Test
    void theDefaultsOfAnAllocatorWork() {
        try (IterationScope scope = arena.scope()) {
            scope.allocate(300).fill((byte) -1);
            scope.reset();
            assertEquals("verbena", scope.allocateFrom("verbena").getString(0));
            assertEquals(3, scope.allocateFrom(ValueLayout.JAVA_INT, 1, 2, 3).getAtIndex(ValueLayout.JAVA_INT, 2));
            assertEquals(80, scope.allocate(ValueLayout.JAVA_DOUBLE, 10).byteSize());
        }
    }

    @Test
    void aSteadyStateMakesNoCallOfTheArena() {
        try (IterationScope scope = arena.scope(64 * KIB)) {
            iterate(scope);
            long allocations = arena.statistics().allocationCount();
            long heldByteSize = scope.heldByteSize();
            assertTrue(allocations > 5, "blocks=" + allocations);
            for (int i = 0; i < 10; i++) {
                scope.reset();
                iterate(scope);
            }
            assertEquals(allocations, arena.statistics().allocationCount());
            assertEquals(allocations, arena.statistics().liveCount());
            assertEquals(heldByteSize, scope.heldByteSize());
        }
    }

    private static void iterate(IterationScope scope) {
        for (int i = 0; i < 300; i++) {
            scope.allocate(ElementType.UINT8, Shape.of(i * 7));
            scope.allocate(i, 1L << i % 14);
        }
        scope.allocate(ElementType.UINT8, Shape.of(MIB));
        scope.allocate(700 * KIB);
    }

    @Test
    void whatAnIterationDidNotNeedGoesBack() {
        try (IterationScope scope = arena.scope(64 * KIB)) {
            scope.allocate(8 * MIB);
            scope.allocate(100);
            scope.reset();
            assertEquals(8 * MIB + 64 * KIB, scope.heldByteSize(), "kept for the next");
            scope.allocate(100);
            scope.reset();
            assertEquals(64 * KIB, scope.heldByteSize());
            scope.reset();
            assertEquals(0, scope.heldByteSize());
            assertEquals(0, arena.statistics().liveCount());
        }
    }

    @Test
    void aHugeBlockIsNotSpentOnASmallRequest() {
        try (IterationScope scope = arena.scope(64 * KIB)) {
            long huge = scope.allocate(8 * MIB).address();
            scope.reset();
            assertNotEquals(huge, scope.allocate(5 * MIB).address(), "more than an eighth would be wasted");
            assertEquals(huge, scope.allocate(8 * MIB - 1).address());
        }
    }

    @Test
    void aKeptBlockThatIsAlignedToLittleWaitsForALesserRequest() {
        try (IterationScope scope = arena.scope()) {
            long kept = scope.allocate(300_000).address();
            scope.reset();
            long more = 2 * Long.lowestOneBit(kept);
            assertEquals(0, scope.allocate(300_000, more).address() % more);
            assertEquals(kept, scope.allocate(300_000).address());
            assertEquals(600_000, scope.heldByteSize());
        }
    }

    @Test
    void aPinnedTensorKeepsItsScope() {
        IterationScope scope = arena.scope();
        Tensor tensor = scope.allocate(ElementType.INT32, Shape.of(1));
        MemorySegment memory = tensor.memory();
        tensor.pin();
        tensor.pin();
        tensor.close();
        for (Executable end : List.<Executable>of(scope::close, scope::reset)) {
            assertTrue(refusal(end).contains("pins=2"));
        }
        memory.set(ValueLayout.JAVA_INT, 0, 3);
        scope.allocate(ElementType.INT32, Shape.of(1)).memory().set(ValueLayout.JAVA_INT, 0, 4);
        assertThrows(IllegalStateException.class, tensor::pin);
        tensor.unpin();
        assertTrue(refusal(scope::close).contains("pins=1"));
        tensor.unpin();
        assertThrows(IllegalStateException.class, tensor::unpin);
        scope.close();
        assertThrows(IllegalStateException.class, () -> memory.get(ValueLayout.JAVA_INT, 0));
    }

    @Test
    void aClosedScopeIsOfNoUse() {
        IterationScope scope = arena.scope();
        scope.allocate(1);
        scope.close();
        for (Executable use : List.<Executable>of(() -> scope.allocate(1), scope::reset, scope::close,
                () -> scope.tryAllocate(1, 1), () -> scope.allocate(ElementType.INT32, Shape.of(1)))) {
            assertTrue(refusal(use).contains("closed scope"));
        }
        assertEquals(0, scope.heldByteSize());
        assertTrue(scope.toString().contains("closed"));
    }

    @Test
    void wrongRequestsAreRefused() {
        try (IterationScope scope = arena.scope()) {
            assertThrows(IllegalArgumentException.class, () -> scope.allocate(-1));
            for (long alignment : new long[]{-1, 0, 3, 1L << 31, Long.MIN_VALUE}) {
                String message = assertThrows(IllegalArgumentException.class, () -> scope.allocate(1, alignment))
                        .getMessage();
                assertTrue(message.contains("alignment=" + alignment), message);
            }
        }
        assertThrows(IllegalArgumentException.class, () -> arena.scope(0));
        assertThrows(IllegalArgumentException.class, () -> arena.scope(Long.MAX_VALUE));
    }

    @Test
    void itUsesTheLastBytesOfAnArenaThatHasNoBlockLeft() {
        try (TensorArena small = TensorArena.create(source, 64 * KIB, 64 * KIB); IterationScope scope = small.scope()) {
            for (int i = 0; i < 600; i++) {
                scope.allocate(ElementType.UINT8, Shape.of(64));
            }
            assertEquals(600 * 64, scope.heldByteSize());
            assertThrows(OutOfArenaMemoryException.class, () -> scope.allocate(64 * KIB));
            assertThrows(OutOfArenaMemoryException.class, () -> scope.allocate(Long.MAX_VALUE));
            assertThrows(OutOfArenaMemoryException.class,
                    () -> scope.allocate(ElementType.UINT8, Shape.of(Long.MAX_VALUE)));
        }
    }

    @Test
    void memoryThatItHoldsIdleIsNotMissing() {
        try (TensorArena small = TensorArena.create(source, 0, 16 * MIB); IterationScope scope = small.scope()) {
            scope.allocate(10 * MIB);
            scope.reset();
            scope.allocate(8 * MIB).fill((byte) 1);
            assertEquals(8 * MIB, scope.heldByteSize(), "what was idle went back");
            scope.reset();
            scope.allocate(ElementType.UINT8, Shape.of(10 * MIB)).memory().fill((byte) 1);
            scope.reset();
            for (int i = 0; i < 15; i++) {
                scope.allocate(ElementType.UINT8, Shape.of(MIB)).memory().fill((byte) 1);
            }
            assertThrows(OutOfArenaMemoryException.class, () -> scope.allocate(2 * MIB), "nothing is idle");
        }
    }

    @Test
    void theArenaStaysOpenForItsScopes() {
        IterationScope scope = arena.scope();
        scope.allocate(1);
        assertTrue(refusal(arena::close).contains("liveCount=1"));
        scope.close();
        TensorArena closed = TensorArena.create(source, MIB, MIB);
        IterationScope orphan = closed.scope();
        closed.close();
        assertTrue(refusal(() -> orphan.allocate(1)).contains("closed arena"));
        orphan.close();
    }

    private static String refusal(Executable use) {
        return assertThrows(IllegalStateException.class, use).getMessage();
    }
}
