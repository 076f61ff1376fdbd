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
 * The gradient before a {@link Relu}, from the gradient behind it: inputs (gradient, y = relu's output), of any shape. The gradient where y
 * is positive, 0 elsewhere; x need not be kept. In the gradient's place where possible.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record ReluGradient() implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "ReluGradient";
    }

    @Override
    public int inPlaceInput(int output) {
        return 0;
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 2, "gradient, y");
        int rank = inputs.getFirst().shape().rank();
        SymbolicShape gradient = Operands.require(inputs, 0, "gradient", ElementType.FLOAT32, rank);
        SymbolicShape y = Operands.require(inputs, 1, "y", ElementType.FLOAT32, rank);
        return List.of(new TensorType(ElementType.FLOAT32, Operands.sameShape("gradient", gradient, "y", y)));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor behind = context.input(0);
        Tensor y = context.input(1);
        Operands.checkSameShape(context, "gradient", behind.shape(), "y", y.shape());
        Tensor before = context.outputInPlace(0, 0, behind.shape());
        select(behind.memory(), y.memory(), before.memory(), behind.shape().elementCount());
    }

    private static void select(MemorySegment behind, MemorySegment y, MemorySegment before, long count) {
        for (long i = 0; i < count; i++) {
            float gradient = behind.getAtIndex(JAVA_FLOAT, i);
            before.setAtIndex(JAVA_FLOAT, i, y.getAtIndex(JAVA_FLOAT, i) > 0 ? gradient : 0f);
        }
    }
}
