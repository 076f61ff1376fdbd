package dev.verbena.training;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.verbena.graph.KernelContext;
import dev.verbena.graph.Operation;
import dev.verbena.graph.PartialShape;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;

/**
 * The gradient before a {@link Relu}, from the gradient behind it: inputs (gradient, y = relu's output); passes where y is
 * positive, 0 elsewhere. In the gradient's place where possible.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
record ReluGradient() implements Operation.Synchronous {
    @Override
    public String name() {
        return "ReluGradient";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 2, "gradient, y");
        PartialShape gradient = Operands.require(inputs, 0, "gradient", ElementType.FLOAT32, 2);
        PartialShape y = Operands.require(inputs, 1, "y", ElementType.FLOAT32, 2);
        return List.of(new TensorType(ElementType.FLOAT32, Operands.sameShape("gradient", gradient, "y", y)));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor behind = context.input(0);
        Tensor y = context.input(1);
        long count = behind.shape().elementCount();
        Operands.checkSame(context, "elements of gradient", count, "elements of y", y.shape().elementCount());
        Tensor before = context.outputInPlace(0, 0, behind.shape());
        mask(behind.memory(), y.memory(), before.memory(), count);
    }

    private static void mask(MemorySegment behind, MemorySegment y, MemorySegment before, long count) {
        for (long i = 0; i < count; i++) {
            before.setAtIndex(JAVA_FLOAT, i, y.getAtIndex(JAVA_FLOAT, i) > 0 ? behind.getAtIndex(JAVA_FLOAT, i) : 0);
        }
    }
}
