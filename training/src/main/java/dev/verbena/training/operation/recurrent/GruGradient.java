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
import dev.verbena.training.blas.Blas;

/**
 * The gradients of a {@link Gru}, backwards through all its steps: inputs (x, input weights, hidden weights, and the layer's y and gates,
 * gradient by y, and lengths if the layer has them); outputs (gradients by x, input weights, hidden weights and bias).
 *
 * <p>What is behind a sequence's end has no part in them; x must be finite there all the same, for it is multiplied by zero.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record GruGradient() implements Operation, Kernel.Synchronous {
    /** The output by the bias; those before have the places of what they are by. */
    static final int BIAS = 3;

    private static final int Y = 3;
    private static final int GATES = 4;
    private static final int GRADIENT = 5;
    private static final int LENGTHS = 6;

    @Override
    public String name() {
        return "GruGradient";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        RecurrentOperands.requireCount(inputs, LENGTHS, "x, input weights, hidden weights, y, gates, gradient");
        RecurrentOperands.Dimensions dimensions = RecurrentOperands.infer(inputs, Gru.WEIGHT_COUNT);
        Dimension hidden = dimensions.hidden();
        Dimension width = hidden.times(Dimension.of(Gru.WEIGHT_COUNT));
        Dimension gates = hidden.times(Dimension.of(Gru.GATE_COUNT));
        RecurrentOperands.requireSequences(inputs, Y, "y", dimensions, hidden);
        RecurrentOperands.requireSequences(inputs, GATES, "gates", dimensions, gates);
        RecurrentOperands.requireSequences(inputs, GRADIENT, "gradient", dimensions, hidden);
        RecurrentOperands.requireLengths(inputs, LENGTHS, dimensions);
        return List.of(new TensorType(ElementType.FLOAT32, dimensions.sequences(dimensions.inputWidth())),
                new TensorType(ElementType.FLOAT32, SymbolicShape.of(dimensions.inputWidth(), width)),
                new TensorType(ElementType.FLOAT32, SymbolicShape.of(hidden, width)),
                new TensorType(ElementType.FLOAT32, SymbolicShape.of(gates)));
    }

    @Override
    public void compute(KernelContext context) {
        RecurrentOperands sizes = RecurrentOperands.of(context, Gru.WEIGHT_COUNT);
        int[] lengths = sizes.lengths(context, LENGTHS);
        int hidden = Math.toIntExact(sizes.hidden());
        int width = Math.multiplyExact(Gru.WEIGHT_COUNT, hidden);
        sizes.checkSequences(context, Y, "y", hidden);
        sizes.checkSequences(context, GATES, "gates", (long) Gru.GATE_COUNT * hidden);
        sizes.checkSequences(context, GRADIENT, "gradient", hidden);
        Shape sums = Shape.of(sizes.time(), sizes.batch(), width);
        // The candidate's column differs between the two: the reset gate stands before what comes of the state.
        MemorySegment inputSums = context.allocateTemporary(ElementType.FLOAT32, sums).memory();
        MemorySegment stateSums = context.allocateTemporary(ElementType.FLOAT32, sums).memory();
        // What the step behind says of this one's state; behind the last there is nothing.
        MemorySegment states = context.allocateTemporary(ElementType.FLOAT32, Shape.of(sizes.batch(), hidden))
                .memory();
        states.fill((byte) 0);
        Rows rows = new Rows(context.input(Y).memory(), context.input(GATES).memory(),
                context.input(GRADIENT).memory(), inputSums, stateSums, states, hidden, lengths.length);
        for (int t = Math.toIntExact(sizes.time()) - 1; t >= 0; t--) {
            for (int sequence = 0; sequence < lengths.length; sequence++) {
                if (t < lengths[sequence]) {
                    rows.back(t, sequence);
                } else {
                    RecurrentOperands.zero(inputSums, (long) t * lengths.length + sequence, width);
                    RecurrentOperands.zero(stateSums, (long) t * lengths.length + sequence, width);
                }
            }
            if (t > 0) {
                Blas.get().addProduct(false, true, sizes.batch(), hidden, width, sizes.step(stateSums, t, width),
                        context.input(RecurrentOperands.HIDDEN_WEIGHTS).memory(), states);
            }
        }
        sizes.multiplyBack(context, context.input(Y).memory(), width, inputSums, stateSums);
        MemorySegment bias = context.allocateOutput(BIAS, ElementType.FLOAT32, Shape.of((long) Gru.GATE_COUNT * hidden))
                .memory();
        long count = sizes.time() * sizes.batch();
        RecurrentOperands.sumRows(inputSums, count, width, 0, width, bias, 0);
        RecurrentOperands.sumRows(stateSums, count, width, 2L * hidden, hidden, bias, width);
    }

    /** The memory that a row's way back reads and writes. */
    private record Rows(MemorySegment y, MemorySegment gates, MemorySegment gradient, MemorySegment inputSums,
            MemorySegment stateSums, MemorySegment states, int hidden, int batch) {
        void back(int t, int sequence) {
            long row = (long) t * batch + sequence;
            long from = row * Gru.GATE_COUNT * hidden;
            long to = row * Gru.WEIGHT_COUNT * hidden;
            for (int j = 0; j < hidden; j++) {
                long carried = (long) sequence * hidden + j;
                double reset = gates.getAtIndex(JAVA_FLOAT, from + j);
                double update = gates.getAtIndex(JAVA_FLOAT, from + hidden + j);
                double candidate = gates.getAtIndex(JAVA_FLOAT, from + 2L * hidden + j);
                double remembered = gates.getAtIndex(JAVA_FLOAT, from + 3L * hidden + j);
                double last = t == 0 ? 0 : y.getAtIndex(JAVA_FLOAT, (row - batch) * hidden + j);
                double state = (double) gradient.getAtIndex(JAVA_FLOAT, row * hidden + j)
                        + states.getAtIndex(JAVA_FLOAT, carried);
                double candidateSum = state * (1 - update) * (1 - candidate * candidate);
                float resetSum = (float) (candidateSum * remembered * reset * (1 - reset));
                float updateSum = (float) (state * (last - candidate) * update * (1 - update));
                inputSums.setAtIndex(JAVA_FLOAT, to + j, resetSum);
                inputSums.setAtIndex(JAVA_FLOAT, to + hidden + j, updateSum);
                inputSums.setAtIndex(JAVA_FLOAT, to + 2L * hidden + j, (float) candidateSum);
                stateSums.setAtIndex(JAVA_FLOAT, to + j, resetSum);
                stateSums.setAtIndex(JAVA_FLOAT, to + hidden + j, updateSum);
                stateSums.setAtIndex(JAVA_FLOAT, to + 2L * hidden + j, (float) (candidateSum * reset));
                states.setAtIndex(JAVA_FLOAT, carried, (float) (state * update));
            }
        }
    }
}
