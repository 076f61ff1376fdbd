package dev.verbena.benchmarks.step;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.Tensor;

/**
 * Stands for what a worker computes of all variables: a gradient of each. It takes no time, but sees at the first and the last element of each variable
 * whether it is as the step before left it.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
record LocalComputation() implements Operation {
    @Override
    public String name() {
        return "LocalComputation";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        return inputs;
    }

    /**
     * Gradients of 1, and a learning rate of 1: variables count the steps down.
     *
     * <p><b>Owner:</b> the session. <b>Threading:</b> confined to its thread.
     */
    static final class Counting implements Kernel.Synchronous {
        private int step;

        @Override
        public void compute(KernelContext context) {
            for (int i = 0; i < context.inputCount(); i++) {
                Tensor variable = context.input(i);
                long last = variable.shape().elementCount() - 1;
                check(context, i, variable.memory().getAtIndex(JAVA_FLOAT, 0));
                check(context, i, variable.memory().getAtIndex(JAVA_FLOAT, last));
                MemorySegment gradient = context.allocateOutput(i, variable.type(), variable.shape()).memory();
                gradient.setAtIndex(JAVA_FLOAT, 0, 1);
                gradient.setAtIndex(JAVA_FLOAT, last, 1);
            }
            step++;
        }

        private void check(KernelContext context, int variable, float value) {
            if (value != -step) {
                throw new IllegalStateException(context.nodeName() + ": variable" + variable + " has come as " + value
                        + " after steps=" + step + ": a tensor was changed on its way");
            }
        }
    }
}
