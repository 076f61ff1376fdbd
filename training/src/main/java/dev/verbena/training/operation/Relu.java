package dev.verbena.training.operation;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;

/**
 * The activation of the paper's convolutional networks, in place where possible: x where x is positive, 0 elsewhere. What is no number
 * stays none.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record Relu() implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "Relu";
    }

    @Override
    public int inPlaceInput(int output) {
        return 0;
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 1, "x");
        if (inputs.getFirst().elementType() != ElementType.FLOAT32) {
            throw new IllegalArgumentException(
                    "input 0 (x) is " + inputs.getFirst() + "; expected " + ElementType.FLOAT32);
        }
        return inputs;
    }

    @Override
    public void compute(KernelContext context) {
        Tensor input = context.input(0);
        Tensor output = context.outputInPlace(0, 0, input.shape());
        activate(input.memory(), output.memory(), input.shape().elementCount());
    }

    private static void activate(MemorySegment x, MemorySegment y, long count) {
        for (long i = 0; i < count; i++) {
            y.setAtIndex(JAVA_FLOAT, i, Math.max(x.getAtIndex(JAVA_FLOAT, i), 0f));
        }
    }
}
