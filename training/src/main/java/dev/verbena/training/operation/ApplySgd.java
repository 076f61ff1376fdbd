package dev.verbena.training.operation;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.training.blas.Blas;

/**
 * One step of stochastic gradient descent: inputs (variable, gradients); variable -= learningRate * mean of the gradients, where the
 * variable lies. No output: it is a target.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record ApplySgd(float learningRate) implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "ApplySgd";
    }

    @Override
    public Set<Integer> mutatedInputs() {
        return Set.of(0);
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        MeanGradient.infer(inputs, "variable");
        Operands.require(inputs, 0, "variable", ElementType.FLOAT32, inputs.getFirst().shape().rank());
        return List.of();
    }

    @Override
    public void compute(KernelContext context) {
        MemorySegment variable = context.input(0).memory();
        MeanGradient.apply(context, 1, (begin, count, mean) -> Blas.get().addScaled(count, -learningRate, mean,
                variable.asSlice(begin * Float.BYTES)));
    }
}
