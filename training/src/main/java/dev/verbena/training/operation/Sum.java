package dev.verbena.training.operation;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.verbena.graph.Operation;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;

/**
 * The sum of one or more tensors, added in the order of the inputs, or their mean; in the first one's place where possible, and of a single
 * one, itself.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record Sum(boolean isMean) implements Operation, Kernel.Synchronous {
    /** Elements that are added at a time: they stay in a processor's first cache. In arrays, since of two segments the compiler makes no vectors. */
    private static final int BLOCK = 2048;

    @Override
    public String name() {
        return isMean ? "Mean" : "Sum";
    }

    @Override
    public int inPlaceInput(int output) {
        return 0;
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        if (inputs.isEmpty()) {
            throw new IllegalArgumentException("takes at least one term");
        }
        SymbolicShape shape = inputs.get(0).shape();
        for (int i = 0; i < inputs.size(); i++) {
            SymbolicShape other = Operands.require(inputs, i, "term", ElementType.FLOAT32, shape.rank());
            shape = Operands.sameShape("term 0", shape, "term " + i, other);
        }
        return List.of(new TensorType(ElementType.FLOAT32, shape));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor first = context.input(0);
        int inputs = context.inputCount();
        if (inputs == 1) {
            context.forward(0, 0, first.shape());
            return;
        }
        long count = first.shape().elementCount();
        for (int i = 1; i < inputs; i++) {
            Operands.checkSame(context, "elements of term 0", count, "elements of term " + i,
                    context.input(i).shape().elementCount());
        }
        add(context, isMean ? 1f / inputs : 1f, context.outputInPlace(0, 0, first.shape()).memory(), count);
    }

    /** A block of all terms after the other, so that each is read from memory once, however many there are. */
    private static void add(KernelContext context, float scale, MemorySegment sum, long count) {
        float[] block = new float[(int) Math.min(count, BLOCK)];
        float[] term = new float[block.length];
        for (long begin = 0; begin < count; begin += BLOCK) {
            int length = (int) Math.min(BLOCK, count - begin);
            long byteOffset = begin * Float.BYTES;
            MemorySegment.copy(context.input(0).memory(), JAVA_FLOAT, byteOffset, block, 0, length);
            for (int i = 1; i < context.inputCount(); i++) {
                MemorySegment.copy(context.input(i).memory(), JAVA_FLOAT, byteOffset, term, 0, length);
                add(block, term, length);
            }
            scale(block, scale, length);
            MemorySegment.copy(block, 0, sum, JAVA_FLOAT, byteOffset, length);
        }
    }

    private static void add(float[] block, float[] term, int length) {
        for (int i = 0; i < length; i++) {
            block[i] += term[i];
        }
    }

    private static void scale(float[] block, float scale, int length) {
        for (int i = 0; i < length; i++) {
            block[i] *= scale;
        }
    }
}
