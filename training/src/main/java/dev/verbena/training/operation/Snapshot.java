package dev.verbena.training.operation;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.Tensor;

/**
 * A copy of its input that outlives the run: how the trained variables are taken out of a session, and in a cluster, out of
 * the slots that the next run would overwrite.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record Snapshot() implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "Snapshot";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 1, "x");
        return inputs;
    }

    @Override
    public void compute(KernelContext context) {
        Tensor x = context.input(0);
        MemorySegment copy = context.allocateOutput(0, x.type(), x.shape()).memory();
        MemorySegment.copy(x.memory(), 0, copy, 0, x.byteSize());
    }
}
