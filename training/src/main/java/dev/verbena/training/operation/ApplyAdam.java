package dev.verbena.training.operation;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

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
 * One step of Adam: inputs (variable, first moment, second moment, step INT64 scalar, gradients), all of the variable's shape but the
 * step; counts the step up, moves both moments and changes the variable, where they lie, in one pass. Moments and step begin as zeros,
 * and each variable has its own. No output: it is a target.
 *
 * <p>With g the mean of the gradients and t the step: m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g²; variable -= learningRate *
 * m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon). The arithmetic is in double, what is kept in float.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * <p>Source: Kingma, Ba, <i>Adam: a method for stochastic optimization</i>, ICLR 2015, algorithm 1.
 */
public record ApplyAdam(float learningRate, double beta1, double beta2,
        double epsilon) implements Operation, Kernel.Synchronous {
    public ApplyAdam {
        requireRate("beta1", beta1);
        requireRate("beta2", beta2);
        if (!(epsilon > 0)) {
            throw new IllegalArgumentException("epsilon=" + epsilon + " is not above 0");
        }
    }

    /** With the constants that the paper recommends. */
    public ApplyAdam(float learningRate) {
        this(learningRate, .9, .999, 1e-8);
    }

    private static void requireRate(String name, double rate) {
        if (!(rate >= 0 && rate < 1)) {
            throw new IllegalArgumentException(name + "=" + rate + " is not in [0, 1)");
        }
    }

    @Override
    public String name() {
        return "ApplyAdam";
    }

    @Override
    public Set<Integer> mutatedInputs() {
        return Set.of(0, 1, 2, 3);
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        MeanGradient.infer(inputs, "variable", "first moment", "second moment", "step");
        SymbolicShape variable = inputs.get(0).shape();
        Operands.require(inputs, 0, "variable", ElementType.FLOAT32, variable.rank());
        SymbolicShape first = Operands.require(inputs, 1, "first moment", ElementType.FLOAT32, variable.rank());
        SymbolicShape second = Operands.require(inputs, 2, "second moment", ElementType.FLOAT32, variable.rank());
        Operands.require(inputs, 3, "step", ElementType.INT64, 0);
        Operands.sameShape("variable", variable, "first moment", first);
        Operands.sameShape("variable", variable, "second moment", second);
        return List.of();
    }

    @Override
    public void compute(KernelContext context) {
        long count = context.input(0).shape().elementCount();
        Operands.checkSame(context, "elements of variable", count, "elements of first moment",
                context.input(1).shape().elementCount());
        Operands.checkSame(context, "elements of variable", count, "elements of second moment",
                context.input(2).shape().elementCount());
        MemorySegment steps = context.input(3).memory();
        long step = steps.getAtIndex(JAVA_LONG, 0) + 1;
        // Strict, so that every machine and every JVM that goes on from a checkpoint has the same bits.
        double firstScale = 1 / (1 - StrictMath.pow(beta1, step));
        double secondScale = 1 / (1 - StrictMath.pow(beta2, step));
        MeanGradient.apply(context, 4,
                (begin, length, mean) -> step(context, begin, length, mean, firstScale, secondScale));
        steps.setAtIndex(JAVA_LONG, 0, step);
    }

    private void step(KernelContext context, long begin, long count, MemorySegment gradients, double firstScale,
            double secondScale) {
        MemorySegment variables = context.input(0).memory().asSlice(begin * Float.BYTES);
        MemorySegment firsts = context.input(1).memory().asSlice(begin * Float.BYTES);
        MemorySegment seconds = context.input(2).memory().asSlice(begin * Float.BYTES);
        for (long i = 0; i < count; i++) {
            double gradient = gradients.getAtIndex(JAVA_FLOAT, i);
            double first = beta1 * firsts.getAtIndex(JAVA_FLOAT, i) + (1 - beta1) * gradient;
            double second = beta2 * seconds.getAtIndex(JAVA_FLOAT, i) + (1 - beta2) * gradient * gradient;
            firsts.setAtIndex(JAVA_FLOAT, i, (float) first);
            seconds.setAtIndex(JAVA_FLOAT, i, (float) second);
            variables.setAtIndex(JAVA_FLOAT, i, (float) (variables.getAtIndex(JAVA_FLOAT, i)
                    - learningRate * (first * firstScale) / (Math.sqrt(second * secondScale) + epsilon)));
        }
    }
}
