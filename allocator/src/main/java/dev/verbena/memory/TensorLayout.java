package dev.verbena.memory;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Where the elements of a view lie in the memory of a tensor: of which type they are, how many in each dimension, and how far apart. Each
 * operation makes another layout of the same memory; none copies anything.
 *
 * <pre>
 *   element (i, j, ...) of the view  =  element  offset + i · stride(0) + j · stride(1) + ...  of the tensor, in elements of the view's type
 * </pre>
 *
 * Strides are 0 or more: 0 repeats an element, none goes backwards. A dimension of one element has stride 1, and so has each of a layout
 * without elements, whose offset is 0: they lead nowhere.
 *
 * <p>The operations are those of PyTorch's and NumPy's views, and throw {@link IndexOutOfBoundsException} for a dimension or a range that is
 * not there, {@link IllegalArgumentException} for what would need a copy, saying why, and for more than 2^63 - 1 elements.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class TensorLayout {
    private final ElementType type;
    private final Shape shape;
    private final long[] strides;
    private final long offset;
    private final long extent;
    /** Made when they are first asked for; whoever races makes equal ones. */
    private StrideBlocks blocks;
    private ByteRuns runs;

    /** Takes the array. */
    private TensorLayout(ElementType type, Shape shape, long[] strides, long offset) {
        this.type = type;
        this.shape = shape;
        this.strides = strides;
        boolean isEmpty = shape.elementCount() == 0;
        this.offset = isEmpty ? 0 : offset;
        for (int i = 0; i < strides.length; i++) {
            strides[i] = isEmpty || shape.dimension(i) == 1 ? 1 : strides[i];
        }
        extent = isEmpty ? 0 : extent();
        type.byteSize(extent);
    }

    private long extent() {
        try {
            long last = offset;
            for (int i = 0; i < strides.length; i++) {
                last = Math.addExact(last, Math.multiplyExact(shape.dimension(i) - 1, strides[i]));
            }
            return Math.addExact(last, 1);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("the last element is beyond 2^63 - 1: " + this, e);
        }
    }

    /** A whole dense tensor, the last dimension innermost. */
    public static TensorLayout of(ElementType type, Shape shape) {
        return new TensorLayout(type, shape, denseStrides(shape), 0);
    }

    /**
     * Any other, by its strides and the offset of its first element, in elements.
     *
     * @throws IllegalArgumentException if there are not as many strides as dimensions, or a stride or the offset is negative
     */
    public static TensorLayout of(ElementType type, Shape shape, long[] strides, long offset) {
        if (strides.length != shape.rank()) {
            throw new IllegalArgumentException("strides=" + Arrays.toString(strides) + " for shape=" + shape
                    + ": give one for each dimension");
        }
        if (offset < 0 || Arrays.stream(strides).anyMatch(stride -> stride < 0)) {
            throw new IllegalArgumentException("strides=" + Arrays.toString(strides) + " offset=" + offset
                    + ": none may be negative; what goes backwards needs a copy");
        }
        return new TensorLayout(type, shape, strides.clone(), offset);
    }

    private static long[] denseStrides(Shape shape) {
        long[] strides = new long[shape.rank()];
        long stride = 1;
        for (int i = strides.length - 1; i >= 0; i--) {
            strides[i] = stride;
            // Beyond 2^63 only where there are no elements.
            stride *= shape.dimension(i);
        }
        return strides;
    }

    /** How the memory is read; offset and strides count elements of this type, which need not be the tensor's own. */
    public ElementType type() {
        return type;
    }

    /** Elements of the view in each dimension, outermost first, however far apart they lie. */
    public Shape shape() {
        return shape;
    }

    /** From an element to the next one of the dimension, in elements. */
    public long stride(int dimension) {
        return strides[dimension];
    }

    /** From the tensor's first byte to the first element, in elements of this type. */
    public long offset() {
        return offset;
    }

    /** Bytes of the elements, were they dense. */
    public long byteSize() {
        return shape.byteSize(type);
    }

    /** Bytes that a tensor needs to have for this layout: to the end of the element that lies furthest. */
    public long extentByteSize() {
        return type.byteSize(extent);
    }

    /** Which element of the memory, counted from the tensor's first byte in elements of this type, is the one at these indices. */
    public long elementIndex(long... indices) {
        if (indices.length != strides.length) {
            throw new IndexOutOfBoundsException("indices=" + Arrays.toString(indices) + " for shape=" + shape);
        }
        long element = offset;
        for (int i = 0; i < indices.length; i++) {
            element += Objects.checkIndex(indices[i], shape.dimension(i)) * strides[i];
        }
        return element;
    }

    /** Whether the elements lie one behind the other, in their order. */
    public boolean isContiguous() {
        return blocks().isContiguous();
    }

    /**
     * Whether one element of the tensor may be several of the view, so that nobody should write through it. Strides that intertwine
     * dimensions without meeting, such as 2 and 3, count as well.
     */
    public boolean mayOverlap() {
        return blocks().mayOverlap();
    }

    /**
     * The pieces of memory that the elements lie in, in their order.
     *
     * @throws IllegalStateException if one begins or ends within a byte, as only those of INT4 may
     */
    public ByteRuns runs() {
        ByteRuns made = runs;
        if (made == null) {
            made = blocks().runs(type, offset);
            runs = made;
        }
        return made;
    }

    private StrideBlocks blocks() {
        StrideBlocks made = blocks;
        if (made == null) {
            made = StrideBlocks.of(shape, strides);
            blocks = made;
        }
        return made;
    }

    // ---- other layouts of the same memory ----

    /** {@code length} indices of one dimension, from {@code start} on. */
    public TensorLayout narrowed(int dimension, long start, long length) {
        Objects.checkFromIndexSize(start, length, shape.dimension(checked(dimension)));
        return sliced(dimension, start, start + length, 1);
    }

    /** Every {@code step}-th index of one dimension, from {@code start} on, below {@code end}. */
    public TensorLayout sliced(int dimension, long start, long end, long step) {
        Objects.checkFromToIndex(start, end, shape.dimension(checked(dimension)));
        if (step < 1) {
            throw new IllegalArgumentException(
                    "step=" + step + " must be at least 1; what goes backwards needs a copy");
        }
        long[] dimensions = shape.dimensions();
        dimensions[dimension] = start == end ? 0 : (end - start - 1) / step + 1;
        long[] wider = strides.clone();
        // Overflows only where fewer than two indices are left, so that the stride leads nowhere.
        wider[dimension] *= step;
        return new TensorLayout(type, Shape.of(dimensions), wider, offset + start * strides[dimension]);
    }

    /** One index of one dimension, which is gone then. */
    public TensorLayout selected(int dimension, long index) {
        Objects.checkIndex(index, shape.dimension(checked(dimension)));
        int[] others = IntStream.range(0, shape.rank()).filter(each -> each != dimension).toArray();
        return picked(others, offset + index * strides[dimension]);
    }

    /** Two dimensions change places. */
    public TensorLayout transposed(int one, int other) {
        int[] order = IntStream.range(0, shape.rank()).toArray();
        order[checked(one)] = checked(other);
        order[other] = one;
        return picked(order, offset);
    }

    /**
     * The dimensions in another order.
     *
     * @param order the dimension that becomes the first one, the second one, and so on
     * @throws IllegalArgumentException if that is not each dimension once
     */
    public TensorLayout permuted(int... order) {
        if (!Arrays.equals(IntStream.of(order).sorted().toArray(), IntStream.range(0, shape.rank()).toArray())) {
            throw new IllegalArgumentException("order=" + Arrays.toString(order) + " has not each of the rank="
                    + shape.rank() + " dimensions of " + shape + " once");
        }
        return picked(order, offset);
    }

    private TensorLayout picked(int[] dimensions, long newOffset) {
        return new TensorLayout(type, Shape.of(IntStream.of(dimensions).mapToLong(shape::dimension).toArray()),
                IntStream.of(dimensions).mapToLong(each -> strides[each]).toArray(), newOffset);
    }

    /**
     * Repeats the elements, with stride 0, along dimensions of one element and along new ones in front, until it has the shape. Such a
     * view is for reading.
     *
     * @throws IllegalArgumentException if another dimension differs, or the shape has fewer
     */
    public TensorLayout expanded(Shape other) {
        int added = other.rank() - shape.rank();
        long[] repeated = new long[other.rank()];
        for (int i = Math.max(added, 0); i < repeated.length; i++) {
            if (other.dimension(i) == shape.dimension(i - added)) {
                repeated[i] = strides[i - added];
            } else if (shape.dimension(i - added) != 1) {
                throw cannotExpand(other);
            }
        }
        if (added < 0) {
            throw cannotExpand(other);
        }
        return new TensorLayout(type, other, repeated, offset);
    }

    private IllegalArgumentException cannotExpand(Shape other) {
        return new IllegalArgumentException("cannot expand " + shape + " to " + other
                + ": only dimensions of 1, and new ones in front, repeat");
    }

    /** All elements in one dimension, where that needs no copy. */
    public TensorLayout flattened() {
        return reshaped(Shape.of(shape.elementCount()));
    }

    /**
     * The same elements in the same order in other dimensions, where that needs no copy: a new dimension lies within old ones that follow on
     * one another without a gap.
     */
    public TensorLayout reshaped(Shape other) {
        if (other.elementCount() != shape.elementCount()) {
            throw new IllegalArgumentException("cannot reshape " + shape + " to " + other + ": elementCount="
                    + shape.elementCount() + " and " + other.elementCount());
        }
        long[] reshaped = blocks().reshapedStrides(other);
        if (reshaped == null) {
            throw new IllegalArgumentException("cannot reshape to " + other + " without a copy: a dimension would need"
                    + " two strides; " + this);
        }
        return new TensorLayout(type, other, reshaped, offset);
    }

    /**
     * The same bits as elements of another type. Where they have another size, the last dimension becomes as many times longer or shorter,
     * so it has to be dense; where they are larger, the offset and all strides have to be a multiple of them.
     */
    public TensorLayout bitCast(ElementType other) {
        int from = type.bitSize();
        int to = other.bitSize();
        if (from == to) {
            return new TensorLayout(other, shape, strides.clone(), offset);
        }
        int last = shape.rank() - 1;
        if (last < 0) {
            throw cannotCast(other, "a scalar has no last dimension; reshape it to [1] first");
        }
        if (strides[last] != 1) {
            throw cannotCast(other, "the last dimension is not dense");
        }
        return from > to ? splitInto(from / to, other) : joinedFrom(to / from, other);
    }

    private TensorLayout splitInto(int parts, ElementType other) {
        int last = shape.rank() - 1;
        try {
            long[] dimensions = shape.dimensions();
            dimensions[last] = Math.multiplyExact(dimensions[last], parts);
            long[] smaller = new long[strides.length];
            for (int i = 0; i < last; i++) {
                smaller[i] = Math.multiplyExact(strides[i], parts);
            }
            smaller[last] = 1;
            return new TensorLayout(other, Shape.of(dimensions), smaller, Math.multiplyExact(offset, parts));
        } catch (ArithmeticException e) {
            throw cannotCast(other, "more than 2^63 - 1 elements");
        }
    }

    private TensorLayout joinedFrom(int parts, ElementType other) {
        int last = shape.rank() - 1;
        long[] dimensions = shape.dimensions();
        long[] larger = new long[strides.length];
        for (int i = 0; i < last; i++) {
            if (strides[i] % parts != 0 && shape.dimension(i) > 1 && extent > 0) {
                throw cannotCast(other, "the stride of dimension " + i + " is no multiple of " + parts);
            }
            larger[i] = strides[i] / parts;
        }
        if (dimensions[last] % parts != 0 || offset % parts != 0) {
            throw cannotCast(other, "the last dimension or the offset is no multiple of " + parts);
        }
        dimensions[last] /= parts;
        larger[last] = 1;
        return new TensorLayout(other, Shape.of(dimensions), larger, offset / parts);
    }

    private IllegalArgumentException cannotCast(ElementType other, String why) {
        return new IllegalArgumentException("cannot take the bits for " + other + ": " + why + "; " + this);
    }

    private int checked(int dimension) {
        return Objects.checkIndex(dimension, shape.rank());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TensorLayout layout && type == layout.type && shape.equals(layout.shape)
                && Arrays.equals(strides, layout.strides) && offset == layout.offset;
    }

    @Override
    public int hashCode() {
        return Objects.hash(type, shape, Arrays.hashCode(strides), offset);
    }

    @Override
    public String toString() {
        return type.toString() + shape + " strides=" + Arrays.toString(strides) + " offset=" + offset;
    }
}
