package dev.verbena.training.operation;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

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

/**
 * Softmax and cross-entropy in one, which is both stable and cheap: inputs (logits [batch, classes], labels INT32 [batch]);
 * outputs (mean loss over the batch, a scalar; its gradient by the logits, in their place where possible).
 *
 * <p>With p = softmax(logits): loss = mean of -log p[label], gradient = (p - onehot(label)) / batch. The largest logit of a
 * row is subtracted first, so no exponential overflows. Within a row the arithmetic is in double.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record SoftmaxCrossEntropy() implements Operation, Kernel.Synchronous {
    /** The outputs. */
    public static final int LOSS = 0;
    public static final int GRADIENT = 1;

    @Override
    public String name() {
        return "SoftmaxCrossEntropy";
    }

    @Override
    public int inPlaceInput(int output) {
        return output == GRADIENT ? 0 : -1;
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 2, "logits, labels");
        SymbolicShape logits = Operands.require(inputs, 0, "logits", ElementType.FLOAT32, 2);
        SymbolicShape labels = Operands.require(inputs, 1, "labels", ElementType.INT32, 1);
        Dimension batch = Operands.sameDimension("rows of logits" + logits, logits.dimension(0), "length of labels",
                labels.dimension(0));
        return List.of(TensorType.of(ElementType.FLOAT32),
                new TensorType(ElementType.FLOAT32, SymbolicShape.of(batch, logits.dimension(1))));
    }

    @Override
    public void compute(KernelContext context) {
        double loss = rows(context, context.input(0), context.input(1), context.outputInPlace(GRADIENT, 0,
                context.input(0).shape()), 1);
        context.allocateOutput(LOSS, ElementType.FLOAT32, Shape.of()).memory().setAtIndex(JAVA_FLOAT, 0, (float) loss);
    }

    /** The mean loss of all rows; {@code share} of its gradient is written. */
    static double rows(KernelContext context, Tensor logits, Tensor labelled, Tensor gradient, float share) {
        MemorySegment labels = labelled.memory();
        long batch = logits.shape().dimension(0);
        int classes = Math.toIntExact(logits.shape().dimension(1));
        Operands.checkSame(context, "rows of logits", batch, "length of labels", labelled.shape().dimension(0));
        double loss = 0;
        for (long row = 0; row < batch; row++) {
            int label = labels.getAtIndex(JAVA_INT, row);
            if (label < 0 || label >= classes) {
                throw new IllegalArgumentException(
                        "node '" + context.nodeName() + "': label=" + label + " in row=" + row
                                + "; there are " + classes + " classes, from 0");
            }
            loss += row(logits.memory(), gradient.memory(), row * classes, classes, label, batch);
        }
        if (share != 1) {
            scale(gradient.memory(), share, batch * classes);
        }
        return loss / batch;
    }

    private static void scale(MemorySegment values, float factor, long count) {
        for (long i = 0; i < count; i++) {
            values.setAtIndex(JAVA_FLOAT, i, factor * values.getAtIndex(JAVA_FLOAT, i));
        }
    }

    /**
     * The loss of one row; reads each logit for the last time before it writes there, for the two may be one.
     *
     * @param counting rows that the mean is taken over
     */
    static double row(MemorySegment logits, MemorySegment gradient, long from, int classes, int label, long counting) {
        float largest = Float.NEGATIVE_INFINITY;
        for (int j = 0; j < classes; j++) {
            largest = Math.max(largest, logits.getAtIndex(JAVA_FLOAT, from + j));
        }
        double sum = 0;
        for (int j = 0; j < classes; j++) {
            sum += Math.exp((double) logits.getAtIndex(JAVA_FLOAT, from + j) - largest);
        }
        double loss = Math.log(sum) - ((double) logits.getAtIndex(JAVA_FLOAT, from + label) - largest);
        for (int j = 0; j < classes; j++) {
            double p = Math.exp((double) logits.getAtIndex(JAVA_FLOAT, from + j) - largest) / sum;
            gradient.setAtIndex(JAVA_FLOAT, from + j, (float) ((j == label ? p - 1 : p) / counting));
        }
        return loss;
    }
}
