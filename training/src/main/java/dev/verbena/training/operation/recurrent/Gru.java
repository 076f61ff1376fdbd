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
 * A layer of gated recurrent units over whole sequences: inputs (x [time, batch, in], input weights [in, 3h], hidden weights [h, 3h],
 * bias [4h], and where sequences differ in length, their lengths INT32 [batch]); outputs (y [time, batch, h]; for the gradient, the
 * gates [time, batch, 4h]).
 *
 * <p>Three columns of weights, in the order r, z, n; the bias has a fourth, m: with s = x[t] * input weights and u = y[t-1] * hidden
 * weights, r = sigmoid(s + u + bias), z likewise, m = u + bias, n = tanh(s + bias + r m), y[t] = (1 - z) n + z y[t-1]. The gates are r, z,
 * n and m. The state begins as zeros. Behind a sequence's end y is zero, whatever x has there.
 *
 * <p>One product for the inputs of all steps, one a step for the states: the reset gate is behind that product, as in cuDNN and PyTorch.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * <p>Source: Cho et al., <i>Learning phrase representations using RNN encoder-decoder for statistical machine translation</i>, EMNLP
 * 2014.
 */
public record Gru() implements Operation, Kernel.Synchronous {
    /** Columns of weights for each of the hidden state's. */
    public static final int WEIGHT_COUNT = 3;
    /** The same of bias and gates. */
    public static final int GATE_COUNT = 4;
    /** The outputs. */
    public static final int Y = 0;
    public static final int GATES = 1;

    private static final int BIAS = 3;
    private static final int LENGTHS = 4;

    @Override
    public String name() {
        return "Gru";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        RecurrentOperands.requireCount(inputs, LENGTHS, "x, input weights, hidden weights, bias");
        RecurrentOperands.Dimensions dimensions = RecurrentOperands.infer(inputs, WEIGHT_COUNT);
        Dimension gates = dimensions.hidden().times(Dimension.of(GATE_COUNT));
        SymbolicShape bias = Operands.require(inputs, BIAS, "bias", ElementType.FLOAT32, 1);
        Operands.sameDimension("length of bias", bias.dimension(0), GATE_COUNT + " times rows of hidden weights",
                gates);
        RecurrentOperands.requireLengths(inputs, LENGTHS, dimensions);
        return List.of(new TensorType(ElementType.FLOAT32, dimensions.sequences(dimensions.hidden())),
                new TensorType(ElementType.FLOAT32, dimensions.sequences(gates)));
    }

    @Override
    public void compute(KernelContext context) {
        RecurrentOperands sizes = RecurrentOperands.of(context, WEIGHT_COUNT);
        int[] lengths = sizes.lengths(context, LENGTHS);
        int hidden = Math.toIntExact(sizes.hidden());
        int width = Math.multiplyExact(WEIGHT_COUNT, hidden);
        int gateWidth = Math.multiplyExact(GATE_COUNT, hidden);
        Tensor bias = context.input(BIAS);
        Operands.checkSame(context, "length of bias", bias.shape().elementCount(),
                GATE_COUNT + " times rows of hidden weights", gateWidth);
        MemorySegment y = context
                .allocateOutput(Y, ElementType.FLOAT32, Shape.of(sizes.time(), sizes.batch(), hidden)).memory();
        MemorySegment gates = context
                .allocateOutput(GATES, ElementType.FLOAT32, Shape.of(sizes.time(), sizes.batch(), gateWidth)).memory();
        MemorySegment inputs = context
                .allocateTemporary(ElementType.FLOAT32, Shape.of(sizes.time(), sizes.batch(), width)).memory();
        MemorySegment states = context.allocateTemporary(ElementType.FLOAT32, Shape.of(sizes.batch(), width))
                .memory();
        sizes.projectInputs(context, width, inputs);
        states.fill((byte) 0);
        Rows rows = new Rows(y, gates, inputs, states, bias.memory(), hidden, lengths.length);
        for (int t = 0; t < sizes.time(); t++) {
            if (t > 0) {
                Blas.get().multiply(false, false, sizes.batch(), width, hidden, sizes.step(y, t - 1, hidden),
                        context.input(RecurrentOperands.HIDDEN_WEIGHTS).memory(), states);
            }
            for (int sequence = 0; sequence < lengths.length; sequence++) {
                if (t < lengths[sequence]) {
                    rows.forward(t, sequence);
                } else {
                    RecurrentOperands.zero(y, (long) t * lengths.length + sequence, hidden);
                    RecurrentOperands.zero(gates, (long) t * lengths.length + sequence, gateWidth);
                }
            }
        }
    }

    /** The memory that a row reads and writes. */
    private record Rows(MemorySegment y, MemorySegment gates, MemorySegment inputs, MemorySegment states,
            MemorySegment bias, int hidden, int batch) {
        void forward(int t, int sequence) {
            long row = (long) t * batch + sequence;
            long to = row * GATE_COUNT * hidden;
            for (int j = 0; j < hidden; j++) {
                double reset = RecurrentOperands.sigmoid(input(row, 0, j) + state(sequence, 0, j) + bias(0, j));
                double update = RecurrentOperands.sigmoid(input(row, 1, j) + state(sequence, 1, j) + bias(1, j));
                double remembered = state(sequence, 2, j) + bias(3, j);
                double candidate = Math.tanh(input(row, 2, j) + bias(2, j) + reset * remembered);
                double last = t == 0 ? 0 : y.getAtIndex(JAVA_FLOAT, (row - batch) * hidden + j);
                gates.setAtIndex(JAVA_FLOAT, to + j, (float) reset);
                gates.setAtIndex(JAVA_FLOAT, to + hidden + j, (float) update);
                gates.setAtIndex(JAVA_FLOAT, to + 2L * hidden + j, (float) candidate);
                gates.setAtIndex(JAVA_FLOAT, to + 3L * hidden + j, (float) remembered);
                y.setAtIndex(JAVA_FLOAT, row * hidden + j, (float) ((1 - update) * candidate + update * last));
            }
        }

        private double input(long row, int gate, int j) {
            return inputs.getAtIndex(JAVA_FLOAT, (row * WEIGHT_COUNT + gate) * hidden + j);
        }

        private double state(int sequence, int gate, int j) {
            return states.getAtIndex(JAVA_FLOAT, ((long) sequence * WEIGHT_COUNT + gate) * hidden + j);
        }

        private double bias(int gate, int j) {
            return bias.getAtIndex(JAVA_FLOAT, (long) gate * hidden + j);
        }
    }
}
