package dev.verbena.training.operation;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.training.blas.Blas;

/**
 * By what a variable is changed: the mean of one or more gradients, one of each worker, which are the last inputs of an optimizer's operation and are added
 * in their order. It goes block by block, so that each gradient is read from memory once, and the mean of a block is in a processor's cache when
 * it is applied.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> pure functions.
 */
final class MeanGradient {
    /**
     * What an optimizer does with a block.
     *
     * <p><b>Owner:</b> who applies. <b>Threading:</b> confined to the run of its node.
     */
    @FunctionalInterface
    interface Step {
        /**
         * Changes {@code count} elements of the variable.
         *
         * @param begin of these among all
         * @param mean of these alone
         */
        void apply(long begin, long count, MemorySegment mean);
    }

    private MeanGradient() {}

    /**
     * The part of a shape function.
     *
     * @param roles of the inputs before the gradients, the variable first
     */
    static void infer(List<TensorType> inputs, String... roles) {
        if (inputs.size() <= roles.length) {
            throw new IllegalArgumentException("takes at least " + (roles.length + 1) + " inputs ("
                    + String.join(", ", roles) + ", gradients), not " + inputs.size());
        }
        SymbolicShape variable = inputs.getFirst().shape();
        for (int i = roles.length; i < inputs.size(); i++) {
            SymbolicShape gradient = Operands.require(inputs, i, "gradient", ElementType.FLOAT32, variable.rank());
            Operands.sameShape("variable", variable, "gradient", gradient);
        }
    }

    /** @param first of the gradients among the inputs, of which the variable is the first */
    static void apply(KernelContext context, int first, Step step) {
        long count = context.input(0).shape().elementCount();
        for (int i = first; i < context.inputCount(); i++) {
            Operands.checkSame(context, "elements of variable", count, "elements of gradient",
                    context.input(i).shape().elementCount());
        }
        int gradients = context.inputCount() - first;
        if (gradients == 1) {
            step.apply(0, count, context.input(first).memory());
            return;
        }
        MemorySegment mean = context.allocateTemporary(ElementType.FLOAT32, Shape.of(Math.min(count, BlockSum.BLOCK)))
                .memory();
        for (long begin = 0; begin < count; begin += BlockSum.BLOCK) {
            long length = Math.min(BlockSum.BLOCK, count - begin);
            BlockSum.write(context, first, begin, length, mean);
            Blas.get().scale(length, 1f / gradients, mean);
            step.apply(begin, length, mean);
        }
    }
}
