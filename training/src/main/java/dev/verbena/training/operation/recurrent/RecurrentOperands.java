package dev.verbena.training.operation.recurrent;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.blas.Blas;
import dev.verbena.training.operation.Operands;

/**
 * What the recurrent operations share: the shapes of their operands, the checks of a run, and the pieces of arithmetic that are theirs
 * all. A sequence's numbers lie a step apart, those of one step side by side:
 *
 * <pre>
 *   [time, batch, width]     | step 0: sequence 0, 1, ... | step 1: sequence 0, 1, ... | ...
 * </pre>
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record RecurrentOperands(long time, long batch, long inputWidth, long hidden) {
    /** The inputs that a sequence kernel and its gradient begin with. */
    static final int X = 0;
    static final int INPUT_WEIGHTS = 1;
    static final int HIDDEN_WEIGHTS = 2;

    /** As far as known before the run. */
    record Dimensions(Dimension time, Dimension batch, Dimension inputWidth, Dimension hidden) {
        SymbolicShape sequences(Dimension width) {
            return SymbolicShape.of(time, batch, width);
        }
    }

    /** @param gates columns of the weights for each of the hidden state's */
    static Dimensions infer(List<TensorType> inputs, int gates) {
        SymbolicShape x = Operands.require(inputs, X, "x", ElementType.FLOAT32, 3);
        SymbolicShape inputWeights = Operands.require(inputs, INPUT_WEIGHTS, "input weights", ElementType.FLOAT32, 2);
        SymbolicShape hiddenWeights = Operands.require(inputs, HIDDEN_WEIGHTS, "hidden weights", ElementType.FLOAT32,
                2);
        Dimension hidden = hiddenWeights.dimension(0);
        Dimension inputWidth = Operands.sameDimension("width of x" + x, x.dimension(2),
                "rows of input weights" + inputWeights, inputWeights.dimension(0));
        String expected = gates + " times rows of hidden weights" + hiddenWeights;
        Operands.sameDimension("columns of input weights" + inputWeights, inputWeights.dimension(1), expected,
                hidden.times(Dimension.of(gates)));
        Operands.sameDimension("columns of hidden weights" + hiddenWeights, hiddenWeights.dimension(1), expected,
                hidden.times(Dimension.of(gates)));
        return new Dimensions(x.dimension(0), x.dimension(1), inputWidth, hidden);
    }

    /** The check of an input of one row per sequence and step. */
    static void requireSequences(List<TensorType> inputs, int index, String role, Dimensions dimensions,
            Dimension width) {
        SymbolicShape shape = Operands.require(inputs, index, role, ElementType.FLOAT32, 3);
        Operands.sameShape("x, as " + role + ",", dimensions.sequences(width), role, shape);
    }

    /** The check of the last input, which need not be there. */
    static void requireLengths(List<TensorType> inputs, int index, Dimensions dimensions) {
        if (inputs.size() > index) {
            SymbolicShape lengths = Operands.require(inputs, index, "lengths", ElementType.INT32, 1);
            Operands.sameDimension("batch of x", dimensions.batch, "length of lengths", lengths.dimension(0));
        }
    }

    static void requireCount(List<TensorType> inputs, int count, String roles) {
        if (inputs.size() != count && inputs.size() != count + 1) {
            throw new IllegalArgumentException("takes " + count + " inputs (" + roles + ") and maybe lengths, not "
                    + inputs.size());
        }
    }

    /** The run's numbers, once its operands fit. */
    static RecurrentOperands of(KernelContext context, int gates) {
        Shape x = context.input(X).shape();
        Shape inputWeights = context.input(INPUT_WEIGHTS).shape();
        Shape hiddenWeights = context.input(HIDDEN_WEIGHTS).shape();
        long hidden = hiddenWeights.dimension(0);
        Operands.checkSame(context, "width of x", x.dimension(2), "rows of input weights", inputWeights.dimension(0));
        Operands.checkSame(context, "columns of input weights", inputWeights.dimension(1),
                gates + " times rows of hidden weights", gates * hidden);
        Operands.checkSame(context, "columns of hidden weights", hiddenWeights.dimension(1),
                gates + " times rows of hidden weights", gates * hidden);
        return new RecurrentOperands(x.dimension(0), x.dimension(1), x.dimension(2), hidden);
    }

    void checkSequences(KernelContext context, int index, String role, long width) {
        Operands.checkSame(context, "elements of " + role, context.input(index).shape().elementCount(),
                "those that x implies", time * batch * width);
    }

    /** How many steps of each sequence count: all, where the input is missing. */
    int[] lengths(KernelContext context, int index) {
        int[] lengths = new int[Math.toIntExact(batch)];
        if (context.inputCount() <= index) {
            Arrays.fill(lengths, Math.toIntExact(time));
            return lengths;
        }
        Tensor given = context.input(index);
        Operands.checkSame(context, "batch of x", batch, "length of lengths", given.shape().elementCount());
        MemorySegment memory = given.memory();
        for (int sequence = 0; sequence < lengths.length; sequence++) {
            int length = memory.getAtIndex(JAVA_INT, sequence);
            if (length < 0 || length > time) {
                throw new IllegalArgumentException("node '" + context.nodeName() + "': length=" + length
                        + " in sequence=" + sequence + "; there are " + time + " steps");
            }
            lengths[sequence] = length;
        }
        return lengths;
    }

    /** What lies in {@code sequences} of one step. */
    MemorySegment step(MemorySegment sequences, long step, long width) {
        long byteSize = batch * width * Float.BYTES;
        return sequences.asSlice(step * byteSize, byteSize);
    }

    /** {@code sums = x * inputWeights}, for all steps at once. */
    void projectInputs(KernelContext context, long width, MemorySegment sums) {
        Blas.get().multiply(false, false, time * batch, width, inputWidth, context.input(X).memory(),
                context.input(INPUT_WEIGHTS).memory(), sums);
    }

    /** Sets the outputs that every recurrent gradient begins with: those by x, by the input weights and by the hidden weights. */
    void multiplyBack(KernelContext context, MemorySegment y, long width, MemorySegment inputSums,
            MemorySegment hiddenSums) {
        MemorySegment x = context.input(X).memory();
        MemorySegment dx = context.allocateOutput(X, ElementType.FLOAT32, Shape.of(time, batch, inputWidth)).memory();
        MemorySegment dInput = context
                .allocateOutput(INPUT_WEIGHTS, ElementType.FLOAT32, Shape.of(inputWidth, width)).memory();
        MemorySegment dHidden = context.allocateOutput(HIDDEN_WEIGHTS, ElementType.FLOAT32, Shape.of(hidden, width))
                .memory();
        long rows = time * batch;
        Blas.get().multiply(false, true, rows, inputWidth, width, inputSums, context.input(INPUT_WEIGHTS).memory(), dx);
        Blas.get().multiply(true, false, inputWidth, width, rows, x, inputSums, dInput);
        // The state that a step begins with is the output of the step before; the first begins with zeros.
        long before = Math.max(0, time - 1) * batch;
        Blas.get().multiply(true, false, hidden, width, before, y,
                hiddenSums.asSlice((rows - before) * width * Float.BYTES), dHidden);
    }

    /** Sets part of a vector to the sums over all rows of some columns, in double so that long sequences lose nothing. */
    static void sumRows(MemorySegment matrix, long rows, long width, long firstColumn, long columns,
            MemorySegment sums, long firstSum) {
        double[] total = new double[Math.toIntExact(columns)];
        for (long row = 0; row < rows; row++) {
            long from = row * width + firstColumn;
            for (int column = 0; column < columns; column++) {
                total[column] += matrix.getAtIndex(JAVA_FLOAT, from + column);
            }
        }
        for (int column = 0; column < columns; column++) {
            sums.setAtIndex(JAVA_FLOAT, firstSum + column, (float) total[column]);
        }
    }

    /** Sets what does not count to zero. */
    static void zero(MemorySegment matrix, long row, long width) {
        matrix.asSlice(row * width * Float.BYTES, width * Float.BYTES).fill((byte) 0);
    }

    static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }
}
