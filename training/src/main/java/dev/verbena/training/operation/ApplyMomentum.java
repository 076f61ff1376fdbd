package dev.verbena.training.operation;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

import dev.verbena.graph.Operation;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;

/**
 * One step of stochastic gradient descent with momentum: inputs (variable, velocity, gradients), of one shape; velocity = momentum *
 * velocity + mean of the gradients, then variable -= learningRate * velocity, both where they lie, in one pass. No output: it is a target. The
 * velocity begins as zeros.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * <p>Source: Sutskever et al., <i>On the importance of initialization and momentum in deep learning</i>, ICML 2013, equations 1 and 2,
 * with the learning rate taken out of the velocity as PyTorch does, so that a rate that changes acts at once.
 */
public record ApplyMomentum(float learningRate, float momentum) implements Operation, Kernel.Synchronous {
    public ApplyMomentum {
        // Negated, so that NaN is refused too.
        if (!(momentum >= 0 && momentum < 1)) {
            throw new IllegalArgumentException("momentum=" + momentum + " is not in [0, 1)");
        }
    }

    @Override
    public String name() {
        return "ApplyMomentum";
    }

    @Override
    public Set<Integer> mutatedInputs() {
        return Set.of(0, 1);
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        MeanGradient.infer(inputs, "variable", "velocity");
        SymbolicShape variable = inputs.get(0).shape();
        Operands.require(inputs, 0, "variable", ElementType.FLOAT32, variable.rank());
        SymbolicShape velocity = Operands.require(inputs, 1, "velocity", ElementType.FLOAT32, variable.rank());
        Operands.sameShape("variable", variable, "velocity", velocity);
        return List.of();
    }

    @Override
    public void compute(KernelContext context) {
        Tensor variable = context.input(0);
        long count = variable.shape().elementCount();
        Operands.checkSame(context, "elements of variable", count, "elements of velocity",
                context.input(1).shape().elementCount());
        MeanGradient.apply(context, 2, (begin, length, mean) -> step(variable.memory().asSlice(begin * Float.BYTES),
                context.input(1).memory().asSlice(begin * Float.BYTES), mean, length));
    }

    private void step(MemorySegment variables, MemorySegment velocities, MemorySegment gradients, long count) {
        for (long i = 0; i < count; i++) {
            float velocity = momentum * velocities.getAtIndex(JAVA_FLOAT, i) + gradients.getAtIndex(JAVA_FLOAT, i);
            velocities.setAtIndex(JAVA_FLOAT, i, velocity);
            variables.setAtIndex(JAVA_FLOAT, i, variables.getAtIndex(JAVA_FLOAT, i) - learningRate * velocity);
        }
    }
}
