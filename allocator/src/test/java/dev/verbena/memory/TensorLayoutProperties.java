package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Random chains of view operations, each compared with {@link ViewModel} after every step. */
class TensorLayoutProperties {
    private static final int ELEMENTS_MAX = 400;
    private static final ElementType[] TYPES = {ElementType.INT4, ElementType.INT8, ElementType.INT16,
            ElementType.INT32};

    @Property(tries = 3000)
    void chainsOfOperationsAreTheModelAfterEveryStep(@ForAll long seed, @ForAll @IntRange(min = 1, max = 8) int steps) {
        Chain chain = new Chain(new Random(seed));
        chain.check();
        for (int step = 0; step < steps; step++) {
            chain.step();
            chain.check();
        }
    }

    /** Through memory: the view has the values that the model finds there, and its copy, and what is written comes to the right place. */
    @Property(tries = 300)
    void viewsReadAndWriteTheElementsOfTheModel(@ForAll long seed, @ForAll @IntRange(max = 6) int steps) {
        Random random = new Random(seed);
        Chain chain = new Chain(random);
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 0, 1 << 20);
                Tensor tensor = arena.allocate(chain.layout.type(), chain.layout.shape())) {
            for (int step = 0; step < steps; step++) {
                chain.step();
            }
            byte[] bytes = new byte[(int) tensor.byteSize()];
            random.nextBytes(bytes);
            tensor.memory().asByteBuffer().put(bytes);
            try (TensorView view = TensorView.of(tensor, chain.layout)) {
                chain.checkValues(view, tensor);
            }
            assertEquals(0, tensor.pins());
        }
    }

    /** A layout and its model, taken through the same steps. */
    private static final class Chain {
        private final Random random;
        private TensorLayout layout;
        private ViewModel model;

        Chain(Random random) {
            this.random = random;
            int[] dimensions = IntStream.generate(() -> random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(6))
                    .limit(random.nextInt(5)).toArray();
            ElementType type = TYPES[random.nextInt(TYPES.length)];
            layout = TensorLayout.of(type, shape(dimensions));
            model = ViewModel.of(type, dimensions);
        }

        void step() {
            int rank = layout.shape().rank();
            int kind = rank == 0 ? 4 + random.nextInt(3) : random.nextInt(7);
            int dimension = rank == 0 ? 0 : random.nextInt(rank);
            int size = rank == 0 ? 1 : model.dimensions()[dimension];
            switch (kind) {
                case 0 -> {
                    int start = random.nextInt(size + 1);
                    int end = start + random.nextInt(size - start + 1);
                    int step = 1 + random.nextInt(3);
                    to(step == 1 ? layout.narrowed(dimension, start, end - start)
                            : layout.sliced(dimension, start, end, step), model.sliced(dimension, start, end, step));
                }
                case 1 -> {
                    if (size > 0) {
                        int index = random.nextInt(size);
                        to(layout.selected(dimension, index), model.selected(dimension, index));
                    }
                }
                case 2 -> {
                    int other = random.nextInt(rank);
                    int[] order = IntStream.range(0, rank).toArray();
                    order[dimension] = other;
                    order[other] = dimension;
                    to(layout.transposed(dimension, other), model.permuted(order));
                }
                case 3 -> {
                    List<Integer> order = new ArrayList<>(IntStream.range(0, rank).boxed().toList());
                    Collections.shuffle(order, random);
                    int[] permutation = order.stream().mapToInt(each -> each).toArray();
                    to(layout.permuted(permutation), model.permuted(permutation));
                }
                case 4 -> expand();
                case 5 -> reshape();
                default -> cast(TYPES[random.nextInt(TYPES.length)]);
            }
        }

        private void expand() {
            int[] old = model.dimensions();
            int added = random.nextInt(2);
            int[] wider = IntStream.range(-added, old.length)
                    .map(each -> each < 0 || old[each] == 1 ? 1 + random.nextInt(3) : old[each]).toArray();
            if (ViewModel.product(wider) <= ELEMENTS_MAX) {
                to(layout.expanded(shape(wider)), model.expanded(wider));
            }
        }

        private void reshape() {
            int[] other = otherShape(model.elements().length);
            ViewModel reshaped = model.reshaped(other);
            if (reshaped.elements().length == 0 || reshaped.hasStrides()) {
                to(layout.reshaped(shape(other)), reshaped);
                return;
            }
            String message = assertThrows(IllegalArgumentException.class, () -> layout.reshaped(shape(other)))
                    .getMessage();
            assertTrue(message.contains("without a copy"), message);
        }

        /** Factors of a number in some order, and ones among them. */
        private int[] otherShape(int count) {
            List<Integer> factors = new ArrayList<>();
            int rest = count;
            while (rest > 1) {
                int[] divisors = IntStream.rangeClosed(2, rest).filter(divisorOf(rest)).toArray();
                int factor = divisors[random.nextInt(divisors.length)];
                factors.add(factor);
                rest /= factor;
            }
            for (int ones = count == 0 ? 0 : random.nextInt(3); ones > 0; ones--) {
                factors.add(random.nextInt(factors.size() + 1), 1);
            }
            if (count == 0) {
                factors.addAll(List.of(random.nextInt(3), 0));
            }
            return factors.stream().mapToInt(each -> each).toArray();
        }

        private static IntPredicate divisorOf(int number) {
            return each -> number % each == 0;
        }

        private void cast(ElementType type) {
            ViewModel cast = model.bitCast(type);
            if (cast != null && (cast.elements().length == 0 || cast.hasStrides())) {
                to(layout.bitCast(type), cast);
                return;
            }
            String message = assertThrows(IllegalArgumentException.class, () -> layout.bitCast(type)).getMessage();
            assertTrue(message.startsWith("cannot take the bits for " + type), message);
        }

        private void to(TensorLayout nextLayout, ViewModel nextModel) {
            layout = nextLayout;
            model = nextModel;
        }

        void check() {
            assertSame(model.type(), layout.type());
            assertArrayEquals(LongStream.of(layout.shape().dimensions()).mapToInt(each -> (int) each).toArray(),
                    model.dimensions());
            int halves = layout.type().bitSize() / 4;
            int furthest = 0;
            for (int[] index : ViewModel.indices(model.dimensions())) {
                int[] expected = model.at(index);
                assertEquals(expected[0], layout.elementIndex(longs(index)) * halves, layout::toString);
                furthest = Math.max(furthest, expected[halves - 1] + 1);
            }
            assertEquals((furthest + 1) / 2, layout.extentByteSize());
            assertEquals(model.isContiguous(), layout.isContiguous(), layout::toString);
            assertTrue(layout.mayOverlap() || !model.hasElementsTwice(), layout::toString);
            assertEquals(layout, TensorLayout.of(layout.type(), layout.shape(), strides(), layout.offset()));
            checkRuns(halves);
        }

        private long[] strides() {
            return IntStream.range(0, layout.shape().rank()).mapToLong(layout::stride).toArray();
        }

        /** Behind one another they are the half bytes of all elements; an odd last one is filled up. */
        private void checkRuns(int halves) {
            int[] expected = Arrays.stream(model.elements()).flatMapToInt(IntStream::of).toArray();
            ByteRuns runs;
            try {
                runs = layout.runs();
            } catch (IllegalStateException e) {
                assertEquals(1, halves, e.getMessage());
                boolean areWholeBytes = IntStream.range(0, expected.length).allMatch(
                        each -> each % 2 == 0 ? expected[each] % 2 == 0 : expected[each] == expected[each - 1] + 1);
                assertFalse(areWholeBytes && expected.length % 2 == 0, e.getMessage());
                return;
            }
            int[] actual = LongStream.range(0, runs.count()).mapToInt(run -> (int) runs.byteOffset(run) * 2)
                    .flatMap(first -> IntStream.range(first, first + (int) runs.byteSize() * 2)).toArray();
            assertArrayEquals(expected, Arrays.copyOf(actual, expected.length), layout::toString);
            assertTrue(actual.length - expected.length <= expected.length % 2);
            assertTrue(!layout.isContiguous() || runs.count() <= 1, layout::toString);
        }

        void checkValues(TensorView view, Tensor tensor) {
            byte[] before = new byte[(int) tensor.byteSize()];
            tensor.memory().asByteBuffer().get(before);
            for (int[] index : ViewModel.indices(model.dimensions())) {
                assertEquals(value(before, model.at(index)), view.getLong(longs(index)), view::toString);
            }
            if (!layout.mayOverlap() && model.elements().length > 0) {
                int[][] indices = ViewModel.indices(model.dimensions());
                int[] index = indices[random.nextInt(indices.length)];
                view.setLong(~view.getLong(longs(index)), longs(index));
                byte[] after = before.clone();
                for (int half : model.at(index)) {
                    after[half / 2] ^= (byte) (half % 2 == 0 ? 0xf : 0xf0);
                }
                byte[] now = new byte[before.length];
                tensor.memory().asByteBuffer().get(now);
                assertArrayEquals(after, now);
            }
        }

        private static long value(byte[] bytes, int[] halves) {
            if (halves.length == 1) {
                return (byte) (bytes[halves[0] / 2] << 4 - halves[0] % 2 * 4) >> 4;
            }
            ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
            return switch (halves.length) {
                case 2 -> buffer.get(halves[0] / 2);
                case 4 -> buffer.getShort(halves[0] / 2);
                default -> buffer.getInt(halves[0] / 2);
            };
        }
    }

    private static Shape shape(int... dimensions) {
        return Shape.of(longs(dimensions));
    }

    private static long[] longs(int... values) {
        return IntStream.of(values).asLongStream().toArray();
    }
}
