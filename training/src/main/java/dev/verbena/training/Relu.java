package dev.verbena.training;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.verbena.graph.KernelContext;
import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;

/**
 * The positive part of each element, in place where possible.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
record Relu() implements Operation.Synchronous {
    @Override
    public String name() {
        return "Relu";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 1, "x");
        if (inputs.get(0).elementType() != ElementType.FLOAT32) {
            throw new IllegalArgumentException("input 0 (x) is " + inputs.get(0) + "; expected " + ElementType.FLOAT32);
        }
        return inputs;
    }

    @Override
    public void compute(KernelContext context) {
        Tensor input = context.input(0);
        Tensor output = context.outputInPlace(0, 0, input.shape());
        MemorySegment x = input.memory();
        MemorySegment y = output.memory();
        long count = input.shape().elementCount();
        for (long i = 0; i < count; i++) {
            // Not Math.max: that would have to order -0 and carry NaN, which costs more than the rest of the loop.
            float value = x.getAtIndex(JAVA_FLOAT, i);
            y.setAtIndex(JAVA_FLOAT, i, value < 0 ? 0 : value);
        }
    }
}
