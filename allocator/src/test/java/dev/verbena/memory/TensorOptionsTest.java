package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.api.Test;

/** Tensors with an alignment, headroom, or zeroes, of each kind of arena; freed, resized and guarded as any other. */
class TensorOptionsTest {
    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;

    private final OffHeapSlabSource source = new OffHeapSlabSource();

    /** What differs between arenas on a tensor's way. */
    enum Kind {
        ORDINARY, VIEWED, DEBUG;

        TensorArena create(SlabSource source, long byteSize, long byteSizeMax) {
            return switch (this) {
                case ORDINARY -> TensorArena.create(source, byteSize, byteSizeMax);
                case VIEWED -> TensorArena.create(source, byteSize, byteSizeMax,
                        ArenaOptions.defaults().withViewsEndingWithTensors());
                case DEBUG -> DebugArena.create(source, byteSize, byteSizeMax);
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachHasItsOwnAlignmentAndHeadroomAndIsFreed(Kind kind) {
        try (TensorArena arena = kind.create(source, MIB, 512 * MIB)) {
            List<Tensor> tensors = new ArrayList<>();
            for (int shift = 0; shift <= 21; shift++) {
                for (long headroom : new long[]{0, 1, 16, 24, 64, 5000}) {
                    TensorOptions options = TensorOptions.defaults().withAlignment(1L << shift)
                            .withHeadroomByteSize(headroom);
                    Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(shift * 100), options);
                    assertEquals(0, tensor.address() % Math.max(64, 1L << shift), () -> options + " " + tensor);
                    MemorySegment whole = tensor.memoryWithHeadroom();
                    assertEquals(headroom + tensor.byteSize(), whole.byteSize());
                    assertEquals(tensor.address() - headroom, whole.address());
                    whole.fill((byte) tensors.size());
                    assertTrue(arena.owns(tensor));
                    tensors.add(tensor);
                }
            }
            assertTrue(arena.isConsistent(), "no guard is damaged");
            for (int i = 0; i < tensors.size(); i++) {
                MemorySegment whole = tensors.get(i).memoryWithHeadroom();
                for (long offset = 0; offset < whole.byteSize(); offset++) {
                    assertEquals((byte) i, whole.get(ValueLayout.JAVA_BYTE, offset));
                }
                arena.free(tensors.get(i));
                assertThrows(IllegalStateException.class, tensors.get(i)::close);
                assertThrows(IllegalStateException.class, tensors.get(i)::memoryWithHeadroom);
            }
            assertEquals(0, arena.statistics().liveCount());
        }
        assertEquals(0, source.heldByteSize());
    }

    @ParameterizedTest
    @EnumSource
    void zeroedIsTheHeadroomTooWhateverWasThere(Kind kind) {
        try (TensorArena arena = kind.create(source, 64 * KIB, 64 * KIB); IterationScope scope = arena.scope(4 * KIB)) {
            TensorOptions options = TensorOptions.defaults().withHeadroomByteSize(24).withZeroed();
            for (int i = 0; i < 3; i++) {
                Tensor tensor = arena.allocate(ElementType.INT32, Shape.of(1000), options);
                assertZero(tensor.memoryWithHeadroom());
                tensor.memoryWithHeadroom().fill((byte) -1);
                tensor.close();
                Tensor plain = arena.allocateZeroed(ElementType.INT32, Shape.of(1000));
                assertZero(plain.memory());
                plain.memory().fill((byte) -1);
                plain.close();
                Tensor inScope = scope.allocateZeroed(ElementType.INT32, Shape.of(100));
                assertZero(inScope.memory());
                inScope.memory().fill((byte) -1);
                scope.reset();
            }
        }
    }

    /** A block that has room for a tensor without headroom may have none for one with headroom. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 100, 1025, 5000, 65_472, 65_473, 100_000})
    void aTensorWithHeadroomGrowsIntoItsBlockAndNoFurther(long byteSize) {
        try (TensorArena arena = TensorArena.create(source, MIB, 16 * MIB)) {
            TensorOptions options = TensorOptions.defaults().withHeadroomByteSize(16);
            long usableByteSize = TensorArena.usableByteSize(64 + Math.max(1, byteSize)) - 64;
            List<Tensor> grown = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(byteSize), options);
                assertNull(arena.tryResize(tensor, Shape.of(usableByteSize + 64)));
                Tensor all = arena.tryResize(tensor, Shape.of(byteSize == 0 ? 0 : usableByteSize));
                all.memoryWithHeadroom().fill((byte) i);
                grown.add(all);
            }
            for (int i = 0; i < grown.size(); i++) {
                MemorySegment whole = grown.get(i).memoryWithHeadroom();
                assertEquals(i, whole.get(ValueLayout.JAVA_BYTE, 0));
                assertEquals(i, whole.get(ValueLayout.JAVA_BYTE, whole.byteSize() - 1));
                grown.get(i).close();
            }
            assertEquals(0, arena.statistics().liveCount());
        }
    }

    @Test
    void withoutElementsAnAddressOfItsOwn() {
        try (TensorArena arena = TensorArena.create(source, MIB, MIB)) {
            TensorOptions options = TensorOptions.defaults().withHeadroomByteSize(16);
            Tensor one = arena.allocate(ElementType.INT32, Shape.of(0), options);
            Tensor other = arena.allocate(ElementType.INT32, Shape.of(0));
            Tensor third = arena.allocate(ElementType.INT32, Shape.of(0), options);
            assertNotEquals(one.address(), other.address());
            assertNotEquals(third.address(), other.address());
            assertNotEquals(third.address(), one.address());
            List.of(one, other, third).forEach(Tensor::close);
        }
    }

    @Test
    void aliasesAndLeasesHaveTheHeadroom() {
        try (TensorArena arena = TensorArena.create(source, MIB, MIB)) {
            Tensor tensor = arena.allocate(ElementType.INT32, Shape.of(6),
                    TensorOptions.defaults().withHeadroomByteSize(16));
            Tensor alias = tensor.reshaped(Shape.of(2, 3));
            assertEquals(40, alias.memoryWithHeadroom().byteSize());
            TensorLease lease = TensorLease.of(alias);
            tensor.close();
            assertEquals(1, arena.statistics().liveCount());
            lease.close();
            assertEquals(0, arena.statistics().liveCount());
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatHasNoHeadroomHasNone(Kind kind) {
        try (TensorArena arena = kind.create(source, 64 * KIB, 64 * KIB);
                Tensor tensor = arena.allocate(ElementType.INT32, Shape.of(6))) {
            assertEquals(tensor.address(), tensor.memoryWithHeadroom().address());
            assertEquals(24, tensor.memoryWithHeadroom().byteSize());
        }
    }

    @Test
    void aDebugArenaGuardsTheHeadroom() {
        try (DebugArena arena = DebugArena.create(source, MIB, MIB)) {
            Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(100),
                    TensorOptions.defaults().withHeadroomByteSize(64));
            MemorySegment.ofAddress(tensor.address() - 65).reinterpret(1).set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            assertFalse(arena.isConsistent());
            String message = assertThrows(DamagedMemoryException.class, tensor::close).getMessage();
            assertTrue(message.contains("write in front of a block"), message);
        }
    }

    @Test
    void refusalsNameTheTensorAndTryIsNull() {
        try (TensorArena arena = TensorArena.create(source, MIB, MIB); IterationScope scope = arena.scope()) {
            for (TensorOptions options : List.of(TensorOptions.defaults().withAlignment(256),
                    TensorOptions.defaults().withAlignment(8 * KIB),
                    TensorOptions.defaults().withHeadroomByteSize(1))) {
                for (Shape shape : new Shape[]{Shape.of(2 * MIB), Shape.of(Long.MAX_VALUE)}) {
                    String message = assertThrows(OutOfArenaMemoryException.class,
                            () -> arena.allocate(ElementType.UINT8, shape, options)).getMessage();
                    assertTrue(message.contains("for UINT8" + shape), message);
                    assertNull(arena.tryAllocate(ElementType.UINT8, shape, options));
                    assertThrows(OutOfArenaMemoryException.class,
                            () -> scope.allocate(ElementType.UINT8, shape, options));
                    assertNull(scope.tryAllocate(ElementType.UINT8, shape, options));
                }
            }
            assertNull(scope.tryAllocate(ElementType.UINT8, Shape.of(2 * MIB)));
            assertNull(scope.tryAllocate(2 * MIB, 8));
            assertEquals(100, scope.tryAllocate(ElementType.UINT8, Shape.of(100)).byteSize());
            assertEquals(100, scope.tryAllocate(100, 8).byteSize());
        }
    }

    @Test
    void wrongOptionsAreRefused() {
        for (long alignment : new long[]{Long.MIN_VALUE, -64, 0, 3, 96, 1L << 31}) {
            String message = assertThrows(IllegalArgumentException.class,
                    () -> TensorOptions.defaults().withAlignment(alignment)).getMessage();
            assertTrue(message.contains("alignment=" + alignment), message);
        }
        for (long headroom : new long[]{-1, (1L << 30) + 1, Long.MAX_VALUE}) {
            String message = assertThrows(IllegalArgumentException.class,
                    () -> TensorOptions.defaults().withHeadroomByteSize(headroom)).getMessage();
            assertTrue(message.contains("headroomByteSize=" + headroom), message);
        }
        assertThrows(IllegalArgumentException.class, () -> TensorOptions.defaults().blockByteSize(-1));
    }

    @Test
    void planning() {
        assertEquals(64, TensorOptions.defaults().blockByteSize(0));
        assertEquals(128, TensorOptions.defaults().blockByteSize(100));
        assertEquals(192, TensorOptions.defaults().withHeadroomByteSize(24).blockByteSize(100));
        assertEquals(512, TensorOptions.defaults().withAlignment(256).blockByteSize(300));
        assertEquals(2 * MIB, TensorOptions.defaults().withAlignment(2 * MIB).blockByteSize(100));
        assertEquals(Long.MAX_VALUE, TensorOptions.defaults().withAlignment(2 * MIB).blockByteSize(Long.MAX_VALUE));
        DebugOptions guards = DebugOptions.defaults().withGuardByteSize(128);
        assertEquals(guards.guardedByteSize(100), guards.guardedByteSize(100, TensorOptions.defaults()));
        assertEquals(128 + 64 + 128 + 128,
                guards.guardedByteSize(100, TensorOptions.defaults().withHeadroomByteSize(1)));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 64, 256, 4096, 8192, 65_536})
    void aDebugArenaAsLargeAsPlannedHoldsTensorsWithOptions(long alignment) {
        DebugOptions guards = DebugOptions.defaults().withQuarantineByteSizeMax(0);
        TensorOptions options = TensorOptions.defaults().withAlignment(alignment).withHeadroomByteSize(24);
        long[] sizes = {0, 100, 5000, 70_000, 100};
        long planned = 0;
        for (long size : sizes) {
            planned += TensorArena.reservedByteSize(guards.guardedByteSize(size, options));
        }
        planned += TensorArena.overheadByteSize(1);
        try (DebugArena arena = DebugArena.create(source, planned, planned, guards)) {
            List<Tensor> tensors = new ArrayList<>();
            for (long size : sizes) {
                tensors.add(arena.allocate(ElementType.UINT8, Shape.of(size), options));
            }
            tensors.forEach(Tensor::close);
        }
    }

    private static void assertZero(MemorySegment memory) {
        for (long offset = 0; offset < memory.byteSize(); offset++) {
            assertEquals(0, memory.get(ValueLayout.JAVA_BYTE, offset));
        }
    }
}
