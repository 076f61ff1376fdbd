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
 * The activation between layers, in place where possible: x where x is positive, {@code ALPHA * (exp(x / ALPHA) - 1)} elsewhere.
 *
 * <p>It is a ReLU whose corner is rounded off. That matters: a ReLU's gradient jumps at 0, so the last bit of a sum taken in
 * another order now and then switches a unit on or off, and two workers no longer follow one worker with the joined batch. Measured
 * on MNIST over five epochs, the two loss curves parted by 1.5e-2 with ReLU and by 2.5e-6 with this, at the same accuracy.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * <p>Source: Barron, <i>Continuously differentiable exponential linear units</i>, 2017. EuroSys'19 says nothing of FCN-5's activation;
 * its figure 1 has a sigmoid, smooth too.
 */
public record Celu() implements Operation, Kernel.Synchronous {
    /** How round the corner is. */
    static final float ALPHA = .1f;

    @Override
    public String name() {
        return "Celu";
    }

    @Override
    public int inPlaceInput(int output) {
        return 0;
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
        activate(input.memory(), output.memory(), input.shape().elementCount());
    }

    private static void activate(MemorySegment x, MemorySegment y, long count) {
        for (long i = 0; i < count; i++) {
            float value = x.getAtIndex(JAVA_FLOAT, i);
            y.setAtIndex(JAVA_FLOAT, i, value < 0 ? (float) (ALPHA * (Math.exp(value / ALPHA) - 1)) : value);
        }
    }
}
