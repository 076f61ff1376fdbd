package dev.verbena.training.operation;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Operation;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;

/**
 * Adds a bias to each row: inputs (x [rows, columns], bias [columns]), output like x and in its place where possible.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record AddBias() implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "AddBias";
    }

    @Override
    public int inPlaceInput(int output) {
        return 0;
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 2, "x, bias");
        SymbolicShape x = Operands.require(inputs, 0, "x", ElementType.FLOAT32, 2);
        SymbolicShape bias = Operands.require(inputs, 1, "bias", ElementType.FLOAT32, 1);
        Dimension columns = Operands.sameDimension("columns of x" + x, x.dimension(1), "length of bias",
                bias.dimension(0));
        return List.of(new TensorType(ElementType.FLOAT32, SymbolicShape.of(x.dimension(0), columns)));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor x = context.input(0);
        Tensor bias = context.input(1);
        long rows = x.shape().dimension(0);
        long columns = x.shape().dimension(1);
        Operands.checkSame(context, "columns of x", columns, "length of bias", bias.shape().dimension(0));
        Tensor sum = context.outputInPlace(0, 0, x.shape());
        for (long row = 0; row < rows; row++) {
            addRow(x.memory(), bias.memory(), sum.memory(), row * columns, columns);
        }
    }

    private static void addRow(MemorySegment x, MemorySegment bias, MemorySegment sum, long from, long columns) {
        for (long column = 0; column < columns; column++) {
            sum.setAtIndex(JAVA_FLOAT, from + column,
                    x.getAtIndex(JAVA_FLOAT, from + column) + bias.getAtIndex(JAVA_FLOAT, column));
        }
    }
}
