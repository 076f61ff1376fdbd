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
 * The gradient before a {@link Celu}, from the gradient behind it: inputs (gradient, y = celu's output). The slope follows from y
 * alone, so x need not be kept: 1 where y is positive, {@code (y + ALPHA) / ALPHA} elsewhere. In the gradient's place where possible.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record CeluGradient() implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "CeluGradient";
    }

    @Override
    public int inPlaceInput(int output) {
        return 0;
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 2, "gradient, y");
        SymbolicShape gradient = Operands.require(inputs, 0, "gradient", ElementType.FLOAT32, 2);
        SymbolicShape y = Operands.require(inputs, 1, "y", ElementType.FLOAT32, 2);
        return List.of(new TensorType(ElementType.FLOAT32, Operands.sameShape("gradient", gradient, "y", y)));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor behind = context.input(0);
        Tensor y = context.input(1);
        long count = behind.shape().elementCount();
        Operands.checkSame(context, "elements of gradient", count, "elements of y", y.shape().elementCount());
        Tensor before = context.outputInPlace(0, 0, behind.shape());
        scale(behind.memory(), y.memory(), before.memory(), count);
    }

    private static void scale(MemorySegment behind, MemorySegment y, MemorySegment before, long count) {
        for (long i = 0; i < count; i++) {
            float output = y.getAtIndex(JAVA_FLOAT, i);
            float slope = output > 0 ? 1 : (output + Celu.ALPHA) / Celu.ALPHA;
            before.setAtIndex(JAVA_FLOAT, i, behind.getAtIndex(JAVA_FLOAT, i) * slope);
        }
    }
}
