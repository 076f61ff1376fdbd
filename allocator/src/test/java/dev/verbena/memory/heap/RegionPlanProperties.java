package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorOptions;

/** An arena as large as planned holds all that it was planned for, whoever allocates in whatever order. */
class RegionPlanProperties {
    /** A tensor to be. */
    record Sized(long byteSize, TensorOptions options) {}

    @Property(tries = 400)
    void theSumOfReservedSizesAndTheOverheadIsEnough(@ForAll("sizes") List<Long> sizes, @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 4) int threads) throws Exception {
        long reserved = sizes.stream().mapToLong(TensorArena::reservedByteSize).sum()
                + TensorArena.overheadByteSize(threads);
        assertHolds(reserved, plain(sizes), seed, threads);
    }

    @Property(tries = 300)
    void thePlannedSizeIsEnoughAndNoMoreThanThatSum(@ForAll("sizes") List<Long> sizes, @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 4) int threads) throws Exception {
        long planned = TensorArena.plannedByteSize(threads, sizes.stream().mapToLong(size -> size).toArray());
        assertTrue(planned <= sizes.stream().mapToLong(TensorArena::reservedByteSize).sum()
                + TensorArena.overheadByteSize(threads));
        assertHolds(planned, plain(sizes), seed, threads);
    }

    /** Likewise of tensors that are aligned to more, or have headroom; beyond a page, nobody knows how much is lost in front of them. */
    @Property(tries = 300)
    void whatIsPlannedForTensorsWithOptionsIsEnough(@ForAll("sizesWithOptions") List<Sized> tensors, @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 4) int threads) throws Exception {
        long[] blocks = tensors.stream().mapToLong(tensor -> tensor.options().blockByteSize(tensor.byteSize()))
                .toArray();
        assertHolds(TensorArena.plannedByteSize(threads, blocks), tensors, seed, threads);
        assertHolds(LongStream.of(blocks).map(TensorArena::reservedByteSize).sum()
                + TensorArena.overheadByteSize(threads), tensors, seed, threads);
    }

    /** Bytes of parameters, biases and images of a network as in EuroSys'19, table 2. */
    @Example
    void registeredMemoryIsAtMostAQuarterMoreThanTheTensors() {
        long[] sizes = {40, 100, 16 * 1024, 16 * 1024, 16 * 1024, 160_000, 12_800_000, 12_845_056, 67_108_864,
                67_108_864};
        long tensors = LongStream.of(sizes).sum();
        long reserved = LongStream.of(sizes).map(TensorArena::reservedByteSize).sum() + TensorArena.overheadByteSize(1);
        assertTrue(reserved <= tensors * 1.02, "reserved=" + reserved + " tensors=" + tensors);
        assertTrue(TensorArena.overheadByteSize(1) < 1024 * 1024);
        for (long size : sizes) {
            assertTrue(size < 1000 || TensorArena.reservedByteSize(size) <= size * 1.25, "size=" + size);
        }
        assertEquals(0, TensorArena.plannedByteSize(1));
    }

    private static List<Sized> plain(List<Long> sizes) {
        return sizes.stream().map(size -> new Sized(size, TensorOptions.defaults())).toList();
    }

    private static void assertHolds(long byteSize, List<Sized> sizes, long seed, int threads) throws Exception {
        List<Sized> order = new ArrayList<>(sizes);
        Collections.shuffle(order, new Random(seed));
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), byteSize, byteSize);
                ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Callable<List<Tensor>>> shares = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int first = thread;
                shares.add(() -> allocate(arena, order, first, threads));
            }
            List<Tensor> tensors = new ArrayList<>();
            for (Future<List<Tensor>> share : executor.invokeAll(shares)) {
                tensors.addAll(share.get());
            }
            assertEquals(sizes.size(), arena.statistics().liveCount());
            assertEquals(byteSize == 0 ? 0 : 1, arena.statistics().slabCount());
            assertTrue(arena.isConsistent());
            tensors.forEach(Tensor::close);
            if (!sizes.isEmpty()) {
                assertNull(arena.tryAllocate(ElementType.UINT8, Shape.of(SizeClasses.ceilToPage(byteSize) + 1)));
            }
        }
    }

    private static List<Tensor> allocate(TensorArena arena, List<Sized> sizes, int first, int step) {
        List<Tensor> tensors = new ArrayList<>();
        for (int i = first; i < sizes.size(); i += step) {
            tensors.add(arena.allocate(ElementType.UINT8, Shape.of(sizes.get(i).byteSize()), sizes.get(i).options()));
        }
        return tensors;
    }

    @Provide
    Arbitrary<List<Sized>> sizesWithOptions() {
        Arbitrary<TensorOptions> options = Combinators
                .combine(Arbitraries.integers().between(0, 22), Arbitraries.of(0L, 0L, 16L, 24L, 5000L))
                .as((shift, headroomByteSize) -> new TensorOptions(1L << shift, headroomByteSize, false));
        Arbitrary<Long> size = Arbitraries.frequencyOf(
                Tuple.of(5, Arbitraries.longs().between(0, 70_000)),
                Tuple.of(1, Arbitraries.longs().between(70_000, 5_000_000)));
        return Combinators.combine(size, options).as(Sized::new).list().ofMaxSize(60);
    }

    @Provide
    Arbitrary<List<Long>> sizes() {
        Arbitrary<Long> size = Arbitraries.frequencyOf(
                Tuple.of(5, Arbitraries.of(0L, 40L, 100L, 700L, 4608L, 16L * 1024, 20_000L)),
                Tuple.of(5, Arbitraries.longs().between(0, 40_000)),
                Tuple.of(1, Arbitraries.longs().between(40_000, 67_108_864)));
        return size.list().ofMaxSize(200);
    }
}
