package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Arenas over memory of the caller, which is handed out once, taken back, and left as it is. */
class GivenSlabSourceTest {
    private static final long PAGE = 4096;
    private static final long MIB = 1024 * 1024;

    private final Arena lifetime = Arena.ofShared();

    @AfterEach
    void close() {
        lifetime.close();
    }

    @Test
    void anArenaLiesInTheMemoryAndLeavesTheRestAsItWas() {
        MemorySegment memory = segment(MIB + 100);
        memory.fill((byte) 5);
        GivenSlabSource source = GivenSlabSource.of(memory);
        try (TensorArena arena = TensorArena.create(source, MIB, source.byteSize())) {
            assertEquals(MIB, arena.statistics().slabByteSize(), "whole pages");
            Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(1000));
            assertEquals(memory.address() + tensor.slabOffset(), tensor.address());
            tensor.memory().fill((byte) 6);
            assertEquals(6, memory.get(ValueLayout.JAVA_BYTE, tensor.slabOffset() + 999));
            tensor.close();
            assertNull(arena.tryAllocate(ElementType.UINT8, Shape.of(MIB + 1)));
            assertEquals(MIB + 100, source.heldByteSize());
        }
        assertEquals(0, source.heldByteSize());
        long touched = 0;
        for (long offset = 0; offset < memory.byteSize(); offset++) {
            touched += memory.get(ValueLayout.JAVA_BYTE, offset) == 5 ? 0 : 1;
        }
        assertEquals(1000, touched);
    }

    @Test
    void whatComesBackIsHandedOutAgain() {
        GivenSlabSource source = GivenSlabSource.of(segment(MIB));
        for (int i = 0; i < 3; i++) {
            try (TensorArena arena = TensorArena.create(source, MIB, MIB)) {
                assertThrows(OutOfArenaMemoryException.class, () -> TensorArena.create(source, 1, MIB));
                arena.allocateZeroed(ElementType.INT32, Shape.of(100)).close();
            }
        }
    }

    @Test
    void theSmallestThatIsLargeEnough() {
        MemorySegment large = segment(3 * MIB);
        MemorySegment small = segment(PAGE);
        MemorySegment middle = segment(MIB);
        GivenSlabSource source = GivenSlabSource.of(large, small, middle);
        assertEquals(4 * MIB + PAGE, source.byteSize());
        Slab first = source.acquire(PAGE + 1);
        assertEquals(middle, first.memory());
        assertEquals(large, source.acquire(MIB).memory());
        String message = assertThrows(OutOfArenaMemoryException.class, () -> source.acquire(MIB)).getMessage();
        assertTrue(message.contains("slabs=3") && message.contains("byteSize=1048576;")
                && message.contains("largest has byteSize=4096"), message);
        source.release(first);
        assertEquals(first, source.acquire(MIB));
        assertEquals(small, source.acquire(1).memory());
        assertTrue(assertThrows(OutOfArenaMemoryException.class, () -> source.acquire(1)).getMessage()
                .contains("largest has byteSize=0"));
        assertThrows(IllegalArgumentException.class, () -> source.acquire(0));
    }

    @Test
    void slabsOfOthersStayThemselves() {
        OffHeapSlabSource others = new OffHeapSlabSource();
        Slab slab = others.acquire(MIB);
        try (TensorArena arena = TensorArena.create(new GivenSlabSource(slab), 0, MIB);
                Tensor tensor = arena.allocate(ElementType.INT32, Shape.of(1))) {
            assertSame(slab, tensor.slab());
        }
        others.release(slab);
    }

    @Test
    void aMappedFileKeepsWhatTensorsHad(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("file");
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, 64 * 1024, lifetime);
            try (TensorArena arena = TensorArena.create(GivenSlabSource.of(mapped), 0, 64 * 1024);
                    Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(10_000))) {
                tensor.memory().fill((byte) 9);
            }
        }
        byte[] bytes = Files.readAllBytes(path);
        assertEquals(9, bytes[9_999]);
        assertEquals(0, bytes[10_000]);
    }

    @Test
    void anArenaGrowsOverAllOfThem() throws Exception {
        GivenSlabSource source = GivenSlabSource.of(segment(64 * PAGE), segment(MIB), segment(2 * MIB), segment(PAGE));
        try (TensorArena arena = TensorArena.create(source, 0, source.byteSize())) {
            List<Tensor> tensors = new ArrayList<>();
            for (Tensor tensor = page(arena); tensor != null; tensor = page(arena)) {
                tensors.add(tensor);
            }
            assertEquals(source.byteSize() / PAGE, tensors.size());
            tensors.forEach(Tensor::close);
            assertEquals(source.byteSize(), arena.trim());
            ArenaScript.run(arena, ArenaScript.random(1, 3, 200));
        }
        assertEquals(0, source.heldByteSize());
    }

    private static Tensor page(TensorArena arena) {
        return arena.tryAllocate(ElementType.UINT8, Shape.of(PAGE));
    }

    /** Against a list of what is not handed out. */
    @Property(tries = 100)
    void eachIsWithOneAtATime(@ForAll @Size(min = 1, max = 8) List<@IntRange(min = 1, max = 20) Integer> pages,
            @ForAll @Size(max = 50) List<@IntRange(min = -10, max = 20) Integer> steps) {
        try (Arena ofTry = Arena.ofConfined()) {
            eachIsWithOneAtATime(GivenSlabSource.of(pages.stream().map(count -> ofTry.allocate(count * PAGE, PAGE))
                    .toArray(MemorySegment[]::new)), pages, steps);
        }
    }

    private static void eachIsWithOneAtATime(GivenSlabSource source, List<Integer> pages, List<Integer> steps) {
        List<Long> free = new ArrayList<>(pages.stream().map(count -> count * PAGE).sorted().toList());
        List<Slab> held = new ArrayList<>();
        for (int step : steps) {
            if (step > 0) {
                long wanted = step * PAGE - PAGE / 2;
                Long fits = free.stream().filter(byteSize -> byteSize >= wanted).findFirst().orElse(null);
                if (fits == null) {
                    assertThrows(OutOfArenaMemoryException.class, () -> source.acquire(wanted));
                } else {
                    Slab slab = source.acquire(wanted);
                    assertEquals(fits, slab.memory().byteSize());
                    assertTrue(held.stream().noneMatch(other -> other.memory().address() == slab.memory().address()));
                    free.remove(fits);
                    held.add(slab);
                }
            } else if (!held.isEmpty()) {
                Slab slab = held.remove(-step % held.size());
                source.release(slab);
                assertThrows(IllegalStateException.class, () -> source.release(slab));
                free.add(slab.memory().byteSize());
                free.sort(null);
            }
            assertEquals(source.byteSize() - free.stream().mapToLong(byteSize -> byteSize).sum(),
                    source.heldByteSize());
        }
    }

    @Test
    void memoryThatIsNoSlabIsRefused() {
        MemorySegment memory = segment(4 * PAGE);
        assertRefused("native", MemorySegment.ofArray(new byte[8192]));
        assertRefused("writable", memory.asReadOnly());
        assertRefused("memory.asSlice(4032)", memory.asSlice(64));
        assertRefused("4096 bytes or more", memory.asSlice(0, PAGE - 1));
        assertRefused("overlap", memory, memory);
        assertRefused("overlap", memory.asSlice(PAGE), memory.asSlice(0, PAGE + 1));
        assertRefused("overlap", segment(PAGE), memory.asSlice(PAGE), memory.asSlice(0, 2 * PAGE));
        assertEquals(4 * PAGE, GivenSlabSource.of(memory.asSlice(2 * PAGE), memory.asSlice(0, 2 * PAGE)).byteSize());
        assertEquals(0, new GivenSlabSource().byteSize());
    }

    private static void assertRefused(String why, MemorySegment... memory) {
        String message = assertThrows(IllegalArgumentException.class, () -> GivenSlabSource.of(memory)).getMessage();
        assertTrue(message.contains(why), message);
    }

    @Test
    void whatIsNotItsOwnIsNotTaken() {
        MemorySegment memory = segment(PAGE);
        GivenSlabSource source = GivenSlabSource.of(memory);
        Slab slab = source.acquire(1);
        Slab equal = GivenSlabSource.of(memory).acquire(1);
        assertThrows(IllegalArgumentException.class, () -> source.release(equal));
        source.release(slab);
        assertThrows(IllegalStateException.class, () -> source.release(slab));
    }

    private MemorySegment segment(long byteSize) {
        return lifetime.allocate(byteSize, PAGE);
    }
}
