package dev.verbena.training.operation;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/**
 * So many ones, a factor that is not learned: no input, output [count].
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record Ones(long count) implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "Ones";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 0, "none");
        return List.of(TensorType.of(ElementType.FLOAT32, count));
    }

    @Override
    public void compute(KernelContext context) {
        MemorySegment ones = context.allocateOutput(0, ElementType.FLOAT32, Shape.of(count)).memory();
        for (long i = 0; i < count; i++) {
            ones.setAtIndex(JAVA_FLOAT, i, 1);
        }
    }
}
