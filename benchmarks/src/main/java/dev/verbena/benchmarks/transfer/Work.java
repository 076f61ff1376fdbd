package dev.verbena.benchmarks.transfer;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;

/**
 * What is done to a tensor where it is made, and of it where it arrives. Each tensor that goes one way has a larger number at its end than all before,
 * and none that is larger anywhere: so the result tells whether it was that tensor.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
enum Work {
    /** Its last element: how long it takes to have the tensor. */
    LAST {
        @Override
        float of(MemorySegment tensor) {
            return tensor.getAtIndex(JAVA_FLOAT, tensor.byteSize() / Float.BYTES - 1);
        }
    },
    /** Its largest element, as in EuroSys'19 §5.1: every byte is read. */
    MAX {
        @Override
        float of(MemorySegment tensor) {
            float[] block = new float[(int) Math.min(BLOCK, tensor.byteSize() / Float.BYTES)];
            float max = Float.NEGATIVE_INFINITY;
            for (long at = 0; at < tensor.byteSize(); at += (long) block.length * Float.BYTES) {
                int length = (int) Math.min(block.length, (tensor.byteSize() - at) / Float.BYTES);
                MemorySegment.copy(tensor, JAVA_FLOAT, at, block, 0, length);
                for (int i = 0; i < length; i++) {
                    max = Math.max(max, block[i]);
                }
            }
            return max;
        }
    };

    /** Elements that stay in a processor's first cache. */
    private static final int BLOCK = 2048;

    abstract float of(MemorySegment tensor);

    /** Makes the tensor the one of that number. */
    static void make(MemorySegment tensor, float number) {
        tensor.setAtIndex(JAVA_FLOAT, tensor.byteSize() / Float.BYTES - 1, number);
    }

    /** @throws IllegalStateException if that is not the result of the tensor of that number */
    static void check(float result, float number) {
        if (result != number) {
            throw new IllegalStateException("tensor " + number + " came back as " + result);
        }
    }
}
