package dev.verbena.training.operation;

import java.util.List;
import java.util.Set;

import dev.verbena.graph.Operation;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;
import dev.verbena.training.blas.Blas;

/**
 * One step of stochastic gradient descent: inputs (variable, gradient); variable -= learningRate * gradient, where the
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
        Operands.requireCount(inputs, 2, "variable, gradient");
        SymbolicShape variable = inputs.get(0).shape();
        Operands.require(inputs, 0, "variable", ElementType.FLOAT32, variable.rank());
        SymbolicShape gradient = Operands.require(inputs, 1, "gradient", ElementType.FLOAT32, variable.rank());
        Operands.sameShape("variable", variable, "gradient", gradient);
        return List.of();
    }

    @Override
    public void compute(KernelContext context) {
        Tensor variable = context.input(0);
        Tensor gradient = context.input(1);
        long count = variable.shape().elementCount();
        Operands.checkSame(context, "elements of variable", count, "elements of gradient",
                gradient.shape().elementCount());
        Blas.get().addScaled(count, -learningRate, gradient.memory(), variable.memory());
    }
}
