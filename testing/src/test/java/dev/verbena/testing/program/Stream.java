package dev.verbena.testing.program;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Random;

import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/**
 * Tensors from one device to another, each with a content of its own.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Stream(int id, int depth, Shape shape) {
    /** Of some slots, sometimes more than a queue is deep, and so many elements in a row at most. */
    public static Stream random(int id, Random random, int widthMax) {
        return new Stream(id, 1 + random.nextInt(random.nextInt(3) == 0 ? 8 : 3),
                Shape.of(1 + random.nextInt(3), 1 + random.nextInt(widthMax)));
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
        MemorySegment memory = tensor.memory();
        for (long i = 0; i < shape.elementCount(); i++) {
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
