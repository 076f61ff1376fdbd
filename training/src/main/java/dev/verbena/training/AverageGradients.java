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
 * The mean of the workers' gradients, summed in the order of the inputs, in the first one's place where possible; of a single
 * worker, its gradient itself.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
record AverageGradients() implements Operation.Synchronous {
    @Override
    public String name() {
        return "AverageGradients";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        if (inputs.isEmpty()) {
            throw new IllegalArgumentException("takes at least one gradient");
        }
        PartialShape shape = inputs.get(0).shape();
        for (int i = 0; i < inputs.size(); i++) {
            PartialShape other = Operands.require(inputs, i, "gradient", ElementType.FLOAT32, shape.rank());
            shape = Operands.sameShape("gradient 0", shape, "gradient " + i, other);
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
            Operands.checkSame(context, "elements of gradient 0", count, "elements of gradient " + i,
                    context.input(i).shape().elementCount());
        }
        MemorySegment mean = context.outputInPlace(0, 0, first.shape()).memory();
        MemorySegment left = first.memory();
        for (int i = 1; i < inputs; i++) {
            // The last pass scales as well: one trip through memory less.
            add(left, context.input(i).memory(), i == inputs - 1 ? 1f / inputs : 1f, mean, count);
            left = mean;
        }
    }

    private static void add(MemorySegment x, MemorySegment y, float scale, MemorySegment sum, long count) {
        for (long i = 0; i < count; i++) {
            sum.setAtIndex(JAVA_FLOAT, i, (x.getAtIndex(JAVA_FLOAT, i) + y.getAtIndex(JAVA_FLOAT, i)) * scale);
        }
    }
}
