package dev.verbena.training.operation;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.verbena.graph.Operation;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/**
 * The sum of the rows, taken from the first to the last: input x [rows, columns], output [columns]; the gradient of a bias.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record ReduceRows() implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "ReduceRows";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 1, "x");
        SymbolicShape x = Operands.require(inputs, 0, "x", ElementType.FLOAT32, 2);
        return List.of(new TensorType(ElementType.FLOAT32, SymbolicShape.of(x.dimension(1))));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor x = context.input(0);
        long rows = x.shape().dimension(0);
        long columns = x.shape().dimension(1);
        Tensor sum = context.allocateOutput(0, ElementType.FLOAT32, Shape.of(columns));
        sum.memory().fill((byte) 0);
        for (long row = 0; row < rows; row++) {
            addRow(x.memory(), row * columns, sum.memory(), columns);
        }
    }

    private static void addRow(MemorySegment x, long from, MemorySegment sum, long columns) {
        for (long column = 0; column < columns; column++) {
            sum.setAtIndex(JAVA_FLOAT, column,
                    sum.getAtIndex(JAVA_FLOAT, column) + x.getAtIndex(JAVA_FLOAT, from + column));
        }
    }
}
