package dev.verbena.memory;

import java.util.Arrays;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * What a view is, index by index: for each element, in their order, where its half bytes lie. What needs a copy is what no strides say.
 *
 * @param elements the half bytes of each element, counted from the tensor's first one
 */
record ViewModel(ElementType type, int[] dimensions, int[][] elements) {
    static ViewModel of(ElementType type, int... dimensions) {
        int halves = type.bitSize() / 4;
        return new ViewModel(type, dimensions, IntStream.range(0, product(dimensions))
                .mapToObj(element -> IntStream.range(element * halves, (element + 1) * halves).toArray())
                .toArray(int[][]::new));
    }

    ViewModel sliced(int dimension, int start, int end, int step) {
        int[] fewer = dimensions.clone();
        fewer[dimension] = (int) IntStream.range(start, end).filter(index -> (index - start) % step == 0).count();
        return picked(fewer, index -> {
            int[] old = index.clone();
            old[dimension] = start + index[dimension] * step;
            return old;
        });
    }

    ViewModel selected(int dimension, int at) {
        int[] fewer = IntStream.range(0, dimensions.length).filter(each -> each != dimension)
                .map(each -> dimensions[each]).toArray();
        return picked(fewer, index -> IntStream.range(0, dimensions.length)
                .map(each -> each == dimension ? at : index[each < dimension ? each : each - 1]).toArray());
    }

    ViewModel permuted(int[] order) {
        return picked(IntStream.of(order).map(each -> dimensions[each]).toArray(), index -> {
            int[] old = new int[order.length];
            IntStream.range(0, order.length).forEach(each -> old[order[each]] = index[each]);
            return old;
        });
    }

    ViewModel expanded(int[] other) {
        int added = other.length - dimensions.length;
        return picked(other, index -> IntStream.range(0, dimensions.length)
                .map(each -> dimensions[each] == 1 ? 0 : index[each + added]).toArray());
    }

    ViewModel reshaped(int[] other) {
        return new ViewModel(type, other, elements);
    }

    /** Of the last dimension, in which elements are split or joined; null if they cannot be. */
    ViewModel bitCast(ElementType other) {
        int last = dimensions.length - 1;
        int[] halves = Arrays.stream(elements).flatMapToInt(IntStream::of).toArray();
        int size = other.bitSize() / 4;
        boolean isOtherSize = other.bitSize() != type.bitSize();
        if (isOtherSize && (last < 0 || dimensions[last] * type.bitSize() % other.bitSize() != 0)) {
            return null;
        }
        int[][] recast = IntStream.range(0, halves.length / size)
                .mapToObj(each -> Arrays.copyOfRange(halves, each * size, (each + 1) * size)).toArray(int[][]::new);
        int[] newDimensions = dimensions.clone();
        if (isOtherSize) {
            newDimensions[last] = dimensions[last] * type.bitSize() / other.bitSize();
        }
        boolean areWhole = Arrays.stream(recast).allMatch(element -> element[0] % size == 0
                && IntStream.range(0, size).allMatch(each -> element[each] == element[0] + each));
        return areWhole ? new ViewModel(other, newDimensions, recast) : null;
    }

    /** Whether the elements lie as strides say: each as far from the first one as its indices are, taken one by one. */
    boolean hasStrides() {
        for (int[] index : indices(dimensions)) {
            int distance = 0;
            for (int each = 0; each < index.length; each++) {
                int[] alone = new int[index.length];
                alone[each] = index[each] == 0 ? 0 : 1;
                distance += (at(alone)[0] - elements[0][0]) * index[each];
            }
            if (at(index)[0] - elements[0][0] != distance) {
                return false;
            }
        }
        return true;
    }

    boolean isContiguous() {
        int[] halves = Arrays.stream(elements).flatMapToInt(IntStream::of).toArray();
        return IntStream.range(1, halves.length).allMatch(each -> halves[each] == halves[0] + each);
    }

    boolean hasElementsTwice() {
        return Arrays.stream(elements).mapToInt(element -> element[0]).distinct().count() < elements.length;
    }

    int[] at(int[] index) {
        return elements[flat(index, dimensions)];
    }

    /** All of a shape, in their order. */
    static int[][] indices(int[] dimensions) {
        return IntStream.range(0, product(dimensions)).mapToObj(flat -> {
            int[] index = new int[dimensions.length];
            int rest = flat;
            for (int each = dimensions.length - 1; each >= 0; each--) {
                index[each] = rest % dimensions[each];
                rest /= dimensions[each];
            }
            return index;
        }).toArray(int[][]::new);
    }

    private ViewModel picked(int[] newDimensions, UnaryOperator<int[]> oldIndex) {
        return new ViewModel(type, newDimensions, Arrays.stream(indices(newDimensions))
                .map(index -> at(oldIndex.apply(index))).toArray(int[][]::new));
    }

    private static int flat(int[] index, int[] dimensions) {
        int flat = 0;
        for (int each = 0; each < index.length; each++) {
            flat = flat * dimensions[each] + index[each];
        }
        return flat;
    }

    static int product(int... dimensions) {
        return IntStream.of(dimensions).reduce(1, (one, other) -> one * other);
    }
}
