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
 * The gradients of an {@link Lstm}, backwards through all its steps: inputs (x, input weights, hidden weights, and the layer's y, gates
 * and cells, gradient by y, and lengths if the layer has them); outputs (gradients by x, input weights, hidden weights and bias).
 *
 * <p>What is behind a sequence's end has no part in them; x must be finite there all the same, for it is multiplied by zero.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record LstmGradient() implements Operation, Kernel.Synchronous {
    /** The output by the bias; those before have the places of what they are by. */
    static final int BIAS = 3;

    private static final int Y = 3;
    private static final int GATES = 4;
    private static final int CELLS = 5;
    private static final int GRADIENT = 6;
    private static final int LENGTHS = 7;

    @Override
    public String name() {
        return "LstmGradient";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        RecurrentOperands.requireCount(inputs, LENGTHS,
                "x, input weights, hidden weights, y, gates, cells, gradient");
        RecurrentOperands.Dimensions dimensions = RecurrentOperands.infer(inputs, Lstm.GATE_COUNT);
        Dimension hidden = dimensions.hidden();
        Dimension width = hidden.times(Dimension.of(Lstm.GATE_COUNT));
        RecurrentOperands.requireSequences(inputs, Y, "y", dimensions, hidden);
        RecurrentOperands.requireSequences(inputs, GATES, "gates", dimensions, width);
        RecurrentOperands.requireSequences(inputs, CELLS, "cells", dimensions, hidden);
        RecurrentOperands.requireSequences(inputs, GRADIENT, "gradient", dimensions, hidden);
        RecurrentOperands.requireLengths(inputs, LENGTHS, dimensions);
        return List.of(new TensorType(ElementType.FLOAT32, dimensions.sequences(dimensions.inputWidth())),
                new TensorType(ElementType.FLOAT32, SymbolicShape.of(dimensions.inputWidth(), width)),
                new TensorType(ElementType.FLOAT32, SymbolicShape.of(hidden, width)),
                new TensorType(ElementType.FLOAT32, SymbolicShape.of(width)));
    }

    @Override
    public void compute(KernelContext context) {
        RecurrentOperands sizes = RecurrentOperands.of(context, Lstm.GATE_COUNT);
        int[] lengths = sizes.lengths(context, LENGTHS);
        int hidden = Math.toIntExact(sizes.hidden());
        int width = Math.multiplyExact(Lstm.GATE_COUNT, hidden);
        sizes.checkSequences(context, Y, "y", hidden);
        sizes.checkSequences(context, GATES, "gates", width);
        sizes.checkSequences(context, CELLS, "cells", hidden);
        sizes.checkSequences(context, GRADIENT, "gradient", hidden);
        MemorySegment sums = context
                .allocateTemporary(ElementType.FLOAT32, Shape.of(sizes.time(), sizes.batch(), width)).memory();
        // What the step behind says of this one's state and cell; behind the last there is nothing.
        MemorySegment states = context.allocateTemporary(ElementType.FLOAT32, Shape.of(sizes.batch(), hidden))
                .memory();
        MemorySegment cells = context.allocateTemporary(ElementType.FLOAT32, Shape.of(sizes.batch(), hidden)).memory();
        states.fill((byte) 0);
        cells.fill((byte) 0);
        Rows rows = new Rows(context, sums, states, cells, hidden, lengths.length);
        for (int t = Math.toIntExact(sizes.time()) - 1; t >= 0; t--) {
            for (int sequence = 0; sequence < lengths.length; sequence++) {
                if (t < lengths[sequence]) {
                    rows.back(t, sequence);
                } else {
                    RecurrentOperands.zero(sums, (long) t * lengths.length + sequence, width);
                }
            }
            if (t > 0) {
                Blas.get().multiply(false, true, sizes.batch(), hidden, width, sizes.step(sums, t, width),
                        context.input(RecurrentOperands.HIDDEN_WEIGHTS).memory(), states);
            }
        }
        sizes.multiplyBack(context, context.input(Y).memory(), width, sums, sums);
        MemorySegment bias = context.allocateOutput(BIAS, ElementType.FLOAT32, Shape.of(width)).memory();
        RecurrentOperands.sumRows(sums, sizes.time() * sizes.batch(), width, 0, width, bias, 0);
    }

    /** The memory that a row's way back reads and writes. */
    private record Rows(MemorySegment gates, MemorySegment kept, MemorySegment gradient, MemorySegment sums,
            MemorySegment states, MemorySegment cells, int hidden, int batch) {
        Rows(KernelContext context, MemorySegment sums, MemorySegment states, MemorySegment cells, int hidden,
                int batch) {
            this(context.input(GATES).memory(), context.input(CELLS).memory(), context.input(GRADIENT).memory(), sums,
                    states, cells, hidden, batch);
        }

        void back(int t, int sequence) {
            long row = (long) t * batch + sequence;
            long from = row * Lstm.GATE_COUNT * hidden;
            for (int j = 0; j < hidden; j++) {
                long carried = (long) sequence * hidden + j;
                double input = gates.getAtIndex(JAVA_FLOAT, from + j);
                double forget = gates.getAtIndex(JAVA_FLOAT, from + hidden + j);
                double candidate = gates.getAtIndex(JAVA_FLOAT, from + 2L * hidden + j);
                double output = gates.getAtIndex(JAVA_FLOAT, from + 3L * hidden + j);
                double last = t == 0 ? 0 : kept.getAtIndex(JAVA_FLOAT, (row - batch) * hidden + j);
                double squashed = Math.tanh(kept.getAtIndex(JAVA_FLOAT, row * hidden + j));
                double state = (double) gradient.getAtIndex(JAVA_FLOAT, row * hidden + j)
                        + states.getAtIndex(JAVA_FLOAT, carried);
                double cell = cells.getAtIndex(JAVA_FLOAT, carried) + state * output * (1 - squashed * squashed);
                sums.setAtIndex(JAVA_FLOAT, from + j, (float) (cell * candidate * input * (1 - input)));
                sums.setAtIndex(JAVA_FLOAT, from + hidden + j, (float) (cell * last * forget * (1 - forget)));
                sums.setAtIndex(JAVA_FLOAT, from + 2L * hidden + j,
                        (float) (cell * input * (1 - candidate * candidate)));
                sums.setAtIndex(JAVA_FLOAT, from + 3L * hidden + j,
                        (float) (state * squashed * output * (1 - output)));
                cells.setAtIndex(JAVA_FLOAT, carried, (float) (cell * forget));
            }
        }
    }
}
