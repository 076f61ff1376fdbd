package dev.verbena.training.operation;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/**
 * As {@link SoftmaxCrossEntropy}, of rows some of which do not count, such as those behind the end of a sequence: inputs (logits
 * [rows, classes], labels INT32 [rows]); outputs (mean loss over the rows that count, a scalar; its gradient by the logits, zero in
 * rows that don't, in their place where possible). The exponential of the loss is the perplexity. Where no row counts, loss and
 * gradient are zero.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * @param ignoredLabel of rows that do not count; no class has it
 */
public record MaskedSoftmaxCrossEntropy(int ignoredLabel) implements Operation, Kernel.Synchronous {
    /** The outputs. */
    static final int LOSS = SoftmaxCrossEntropy.LOSS;
    static final int GRADIENT = SoftmaxCrossEntropy.GRADIENT;

    public MaskedSoftmaxCrossEntropy {
        if (ignoredLabel >= 0) {
            throw new IllegalArgumentException(
                    "ignoredLabel=" + ignoredLabel + " may be a class; take a negative number");
        }
    }

    @Override
    public String name() {
        return "MaskedSoftmaxCrossEntropy";
    }

    @Override
    public int inPlaceInput(int output) {
        return output == GRADIENT ? 0 : -1;
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        return new SoftmaxCrossEntropy().infer(inputs);
    }

    @Override
    public void compute(KernelContext context) {
        Tensor logits = context.input(0);
        MemorySegment labels = context.input(1).memory();
        long rows = logits.shape().dimension(0);
        int classes = Math.toIntExact(logits.shape().dimension(1));
        Operands.checkSame(context, "rows of logits", rows, "length of labels", context.input(1).shape().dimension(0));
        long counting = 0;
        for (long row = 0; row < rows; row++) {
            int label = labels.getAtIndex(JAVA_INT, row);
            if (label != ignoredLabel) {
                Operands.checkIndex(context, "label", label, "row", row, classes, "classes");
                counting++;
            }
        }
        MemorySegment gradient = context.outputInPlace(GRADIENT, 0, logits.shape()).memory();
        double loss = 0;
        for (long row = 0; row < rows; row++) {
            int label = labels.getAtIndex(JAVA_INT, row);
            if (label == ignoredLabel) {
                gradient.asSlice(row * classes * Float.BYTES, (long) classes * Float.BYTES).fill((byte) 0);
            } else {
                loss += SoftmaxCrossEntropy.row(logits.memory(), gradient, row * classes, classes, label, counting);
            }
        }
        context.allocateOutput(LOSS, ElementType.FLOAT32, Shape.of()).memory().setAtIndex(JAVA_FLOAT, 0,
                (float) (loss / Math.max(1, counting)));
    }
}
