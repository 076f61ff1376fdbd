package dev.verbena.testing.program;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Random;

import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/**
 * Tensors from one device to another, each with a content of its own.
 *
 * @param shape of them all, unless each has its own
 * @param protocol by which they go
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Stream(int id, int depth, Shape shape, Protocol protocol) {
    /** A way that tensors go. */
    public enum Protocol {
        /** Static placement. */
        STATIC,
        /** Dynamic allocation; each tensor has a shape of its own, as also in the next. */
        DYNAMIC,
        /** Exchange by name and step: the stream's, and how manieth it is. */
        EXCHANGE
    }

    private static final int RANK_MAX = 3;
    private static final int DIMENSION_MAX = 9;

    /** Of some slots, sometimes more than a queue is deep, and so many elements in a row at most. */
    public static Stream random(int id, Random random, int widthMax) {
        int depth = 1 + random.nextInt(random.nextInt(3) == 0 ? 8 : 3);
        Shape shape = Shape.of(1 + random.nextInt(3), 1 + random.nextInt(widthMax));
        int kind = random.nextInt(3);
        return new Stream(id, depth, shape,
                kind == 0 ? Protocol.DYNAMIC : kind == 1 && id % 2 == 1 ? Protocol.EXCHANGE : Protocol.STATIC);
    }

    private boolean isOfOneShape() {
        return protocol == Protocol.STATIC;
    }

    /** Of a tensor; some are empty. */
    Shape shape(int sequence) {
        if (isOfOneShape()) {
            return shape;
        }
        Random random = new Random(content(sequence, 0));
        long[] dimensions = new long[random.nextInt(RANK_MAX + 1)];
        for (int i = 0; i < dimensions.length; i++) {
            dimensions[i] = random.nextInt(DIMENSION_MAX + 1);
        }
        return Shape.of(dimensions);
    }

    /** Whether there is no tensor in that place, as now and then where they are allocated as they come. */
    boolean isDead(int sequence) {
        return protocol == Protocol.DYNAMIC && new Random(content(sequence, 1)).nextInt(5) == 0;
    }

    /** Under which its receiver is found. */
    String name() {
        return "stream " + id;
    }

    long width() {
        return shape.dimension(1);
    }

    /** Writes a tensor's content to the first columns of one that may be wider. */
    void fill(Tensor tensor, int sequence) {
        if (!isOfOneShape()) {
            for (long i = 0; i < tensor.shape().elementCount(); i++) {
                tensor.memory().setAtIndex(JAVA_LONG, i, content(sequence, i));
            }
            return;
        }
        long stride = tensor.shape().dimension(1);
        MemorySegment memory = tensor.memory();
        for (long row = 0; row < shape.dimension(0); row++) {
            for (long i = 0; i < width(); i++) {
                memory.setAtIndex(JAVA_LONG, row * stride + i, content(sequence, row * width() + i));
            }
        }
    }

    /** @return what is wrong with it; null if it is that tensor, and whole */
    String fault(Tensor tensor, int sequence) {
        if (isDead(sequence)) {
            return "it should be dead";
        }
        if (!tensor.shape().equals(shape(sequence))) {
            return "its shape is " + tensor.shape() + " not " + shape(sequence);
        }
        MemorySegment memory = tensor.memory();
        for (long i = 0; i < tensor.shape().elementCount(); i++) {
            long value = memory.getAtIndex(JAVA_LONG, i);
            if (value != content(sequence, i)) {
                return "element " + i + " is " + Long.toHexString(value) + " not "
                        + Long.toHexString(content(sequence, i));
            }
        }
        return null;
    }

    private long content(int sequence, long index) {
        return (id + 1L) << 44 | (sequence + 1L) << 28 | index;
    }
}
