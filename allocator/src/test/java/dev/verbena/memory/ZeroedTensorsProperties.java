package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import dev.verbena.memory.slab.MemoryMaps;

/** A zeroed tensor shows nothing of what was there, whether its memory was cleared or never used: of blocks, rooms and scopes. */
class ZeroedTensorsProperties {
    private static final long MIB = 1024 * 1024;
    private static final ElementType ELEMENTS = ElementType.UINT8;
    private static final long[] SIZES = {1, 5_000, 60_000, 65_537, 100_000, 300_000, 1_500_000};
    private static final int STEPS = 1_200;
    private static final int LIVE_MAX = 60;
    private static final MemorySegment ZEROES = Arena.global().allocate(32 * MIB);

    private final List<Tensor> tensors = new ArrayList<>();
    private final List<Long> blocks = new ArrayList<>();
    private int unused;
    private int cleared;

    @Property(tries = 10)
    void noByteIsStale(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        unused = 0;
        cleared = 0;
        // Two threads that take turns meet in the central heap, so that each gets rooms.
        try (ExecutorService one = Executors.newSingleThreadExecutor();
                ExecutorService other = Executors.newSingleThreadExecutor();
                TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 96 * MIB, 256 * MIB);
                IterationScope scope = arena.scope()) {
            for (int step = 0; step < STEPS; step++) {
                Callable<Void> turn = () -> {
                    turn(arena, scope, random);
                    return null;
                };
                (random.nextBoolean() ? one : other).submit(turn).get();
            }
            assertTrue(arena.isConsistent());
            tensors.forEach(Tensor::close);
            tensors.clear();
            blocks.forEach(arena::freeAddress);
            blocks.clear();
        }
        assertTrue(unused > 0 && cleared > 0, () -> "unused=" + unused + " cleared=" + cleared);
    }

    private void turn(TensorArena arena, IterationScope scope, Random random) {
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5 -> allocateZeroed(arena, random);
            case 6, 7 -> {
                Tensor tensor = arena.allocate(ELEMENTS, shape(random));
                soil(tensor.memory());
                tensors.add(tensor);
            }
            case 8 -> {
                MemorySegment memory = scope.allocateZeroed(ELEMENTS, shape(random)).memory();
                assertZero(memory);
                soil(memory);
            }
            case 9 -> blocks.add(soiled(arena.allocateAddress(MIB), MIB));
            case 10 -> resize(arena, random);
            case 11 -> scope.reset();
            case 12 -> {
                if (random.nextInt(10) == 0) {
                    arena.trim();
                }
            }
            default -> free(arena, random);
        }
    }

    private void allocateZeroed(TensorArena arena, Random random) {
        TensorOptions options = TensorOptions.defaults().withZeroed().withHeadroomByteSize(random.nextInt(3) * 24)
                .withAlignment(random.nextInt(4) == 0 ? 1L << 16 : 64);
        Tensor tensor = arena.allocate(ELEMENTS, shape(random), options);
        assertZero(tensor.memoryWithHeadroom());
        if (arena.blocks().isZero(tensor.address() - tensor.storage().frontByteSize())) {
            unused++;
        } else {
            cleared++;
        }
        soil(tensor.memoryWithHeadroom());
        tensors.add(tensor);
    }

    private void resize(TensorArena arena, Random random) {
        if (!blocks.isEmpty()) {
            long block = blocks.get(random.nextInt(blocks.size()));
            long byteSize = MIB / 4 * (1 + random.nextInt(8));
            if (arena.resizeAddress(block, byteSize)) {
                soiled(block, byteSize);
            }
        }
    }

    private void free(TensorArena arena, Random random) {
        if (!tensors.isEmpty() && random.nextInt(LIVE_MAX) < tensors.size()) {
            tensors.remove(random.nextInt(tensors.size())).close();
        } else if (!blocks.isEmpty()) {
            arena.freeAddress(blocks.remove(random.nextInt(blocks.size())));
        }
    }

    private static Shape shape(Random random) {
        return Shape.of(SIZES[random.nextInt(SIZES.length)]);
    }

    private static void assertZero(MemorySegment memory) {
        assertEquals(-1, memory.mismatch(ZEROES.asSlice(0, memory.byteSize())));
    }

    private static long soiled(long block, long byteSize) {
        soil(MemorySegment.ofAddress(block).reinterpret(byteSize));
        return block;
    }

    private static void soil(MemorySegment memory) {
        memory.fill((byte) -1);
    }

    /** What a source has filled before, or cannot vouch for, is cleared. */
    @Example
    void onlyASourceThatSaysSoIsBelieved() {
        try (Arena lifetime = Arena.ofConfined()) {
            MemorySegment given = lifetime.allocate(MIB, 4096);
            soil(given);
            try (TensorArena arena = TensorArena.create(GivenSlabSource.of(given), MIB, MIB);
                    Tensor tensor = arena.allocateZeroed(ELEMENTS, Shape.of(100_000))) {
                assertFalse(arena.blocks().isZero(tensor.address()));
                assertZero(tensor.memory());
            }
        }
    }

    @Example
    void whatABlockGaveUpIsCleared() {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 4 * MIB, 4 * MIB)) {
            long block = soiled(arena.allocateAddress(4 * MIB), 4 * MIB);
            assertTrue(arena.resizeAddress(block, MIB));
            try (Tensor behind = arena.allocateZeroed(ELEMENTS, Shape.of(3 * MIB))) {
                assertZero(behind.memory());
            }
            arena.freeAddress(block);
        }
    }

    @Example
    void whatWasNeverUsedIsNotEvenTouched() throws IOException {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 0, 64 * MIB)) {
            try (Tensor first = arena.allocateZeroed(ELEMENTS, Shape.of(32 * MIB))) {
                assertEquals(0, MemoryMaps.presentPages(first.memory()));
                soil(first.memory());
            }
            try (Tensor second = arena.allocateZeroed(ELEMENTS, Shape.of(32 * MIB))) {
                assertZero(second.memory());
            }
        }
    }
}
