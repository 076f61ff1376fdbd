package dev.verbena.training.operation.recurrent;

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
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.blas.Blas;
import dev.verbena.training.operation.Operands;

/**
 * A layer of long short-term memory over whole sequences: inputs (x [time, batch, in], input weights [in, 4h], hidden weights [h, 4h],
 * bias [4h], and where sequences differ in length, their lengths INT32 [batch]); outputs (y [time, batch, h]; for the gradient, the
 * gates [time, batch, 4h] and the cells [time, batch, h]).
 *
 * <p>Four columns of gates, in the order i, f, g, o: with s = x[t] * input weights + y[t-1] * hidden weights + bias,
 * i, f, o = sigmoid(s), g = tanh(s), c[t] = f c[t-1] + i g, y[t] = o tanh(c[t]). States begin as zeros. Behind a sequence's end the cell
 * stays what it was and y is zero, whatever x has there.
 *
 * <p>One product for the inputs of all steps, one a step for the states. What is kept is float; the gates' functions are in double.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * <p>Source: Hochreiter, Schmidhuber, <i>Long short-term memory</i>, 1997; forget gates: Gers, Schmidhuber, Cummins, <i>Learning to
 * forget</i>, 2000.
 */
public record Lstm() implements Operation, Kernel.Synchronous {
    public static final int GATE_COUNT = 4;
    /** The outputs. */
    public static final int Y = 0;
    public static final int GATES = 1;
    public static final int CELLS = 2;

    private static final int BIAS = 3;
    private static final int LENGTHS = 4;

    @Override
    public String name() {
        return "Lstm";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        RecurrentOperands.requireCount(inputs, LENGTHS, "x, input weights, hidden weights, bias");
        RecurrentOperands.Dimensions dimensions = RecurrentOperands.infer(inputs, GATE_COUNT);
        Dimension gates = dimensions.hidden().times(Dimension.of(GATE_COUNT));
        SymbolicShape bias = Operands.require(inputs, BIAS, "bias", ElementType.FLOAT32, 1);
        Operands.sameDimension("length of bias", bias.dimension(0), "columns of hidden weights", gates);
        RecurrentOperands.requireLengths(inputs, LENGTHS, dimensions);
        TensorType states = new TensorType(ElementType.FLOAT32, dimensions.sequences(dimensions.hidden()));
        return List.of(states, new TensorType(ElementType.FLOAT32, dimensions.sequences(gates)), states);
    }

    @Override
    public void compute(KernelContext context) {
        RecurrentOperands sizes = RecurrentOperands.of(context, GATE_COUNT);
        int[] lengths = sizes.lengths(context, LENGTHS);
        int hidden = Math.toIntExact(sizes.hidden());
        int width = Math.multiplyExact(GATE_COUNT, hidden);
        Tensor bias = context.input(BIAS);
        Operands.checkSame(context, "length of bias", bias.shape().elementCount(), "columns of hidden weights", width);
        Shape states = Shape.of(sizes.time(), sizes.batch(), hidden);
        MemorySegment y = context.allocateOutput(Y, ElementType.FLOAT32, states).memory();
        MemorySegment gates = context
                .allocateOutput(GATES, ElementType.FLOAT32, Shape.of(sizes.time(), sizes.batch(), width)).memory();
        MemorySegment cells = context.allocateOutput(CELLS, ElementType.FLOAT32, states).memory();
        sizes.projectInputs(context, width, gates);
        for (int t = 0; t < sizes.time(); t++) {
            if (t > 0) {
                Blas.get().addProduct(false, false, sizes.batch(), width, hidden, sizes.step(y, t - 1, hidden),
                        context.input(RecurrentOperands.HIDDEN_WEIGHTS).memory(), sizes.step(gates, t, width));
            }
            for (int sequence = 0; sequence < lengths.length; sequence++) {
                long row = (long) t * lengths.length + sequence;
                if (t < lengths[sequence]) {
                    row(y, gates, cells, bias.memory(), row, t == 0 ? -1 : row - lengths.length, hidden);
                } else {
                    skip(y, gates, cells, row, t == 0 ? -1 : row - lengths.length, hidden);
                }
            }
        }
    }

    /** @param before the row of the step before, or -1 */
    private static void row(MemorySegment y, MemorySegment gates, MemorySegment cells, MemorySegment bias, long row,
            long before, int hidden) {
        long from = row * GATE_COUNT * hidden;
        for (int j = 0; j < hidden; j++) {
            double input = RecurrentOperands.sigmoid(sum(gates, bias, from, j));
            double forget = RecurrentOperands.sigmoid(sum(gates, bias, from, hidden + j));
            double candidate = Math.tanh(sum(gates, bias, from, 2 * hidden + j));
            double output = RecurrentOperands.sigmoid(sum(gates, bias, from, 3 * hidden + j));
            double last = before < 0 ? 0 : cells.getAtIndex(JAVA_FLOAT, before * hidden + j);
            double cell = forget * last + input * candidate;
            gates.setAtIndex(JAVA_FLOAT, from + j, (float) input);
            gates.setAtIndex(JAVA_FLOAT, from + hidden + j, (float) forget);
            gates.setAtIndex(JAVA_FLOAT, from + 2L * hidden + j, (float) candidate);
            gates.setAtIndex(JAVA_FLOAT, from + 3L * hidden + j, (float) output);
            cells.setAtIndex(JAVA_FLOAT, row * hidden + j, (float) cell);
            y.setAtIndex(JAVA_FLOAT, row * hidden + j, (float) (output * Math.tanh(cell)));
        }
    }

    private static double sum(MemorySegment gates, MemorySegment bias, long from, int column) {
        return (double) gates.getAtIndex(JAVA_FLOAT, from + column) + bias.getAtIndex(JAVA_FLOAT, column);
    }

    private static void skip(MemorySegment y, MemorySegment gates, MemorySegment cells, long row, long before,
            int hidden) {
        RecurrentOperands.zero(y, row, hidden);
        RecurrentOperands.zero(gates, row, (long) GATE_COUNT * hidden);
        if (before < 0) {
            RecurrentOperands.zero(cells, row, hidden);
        } else {
            long byteSize = (long) hidden * Float.BYTES;
            MemorySegment.copy(cells, before * byteSize, cells, row * byteSize, byteSize);
        }
    }
}
