package dev.verbena.training.operation;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

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
 * The {@link SoftmaxCrossEntropy} of a network with a second classifier that only helps to train it: inputs (logits [batch, classes],
 * auxiliary logits like them, labels INT32 [batch]); outputs (loss, a scalar; its gradients by both logits, in their places where possible).
 *
 * <p>loss = that of the logits + share * that of the auxiliary ones.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * <p>Source: Szegedy et al., <i>Going deeper with convolutions</i>, 2015, §5.
 *
 * @param share of the second loss
 */
public record AuxiliarySoftmaxCrossEntropy(float share) implements Operation, Kernel.Synchronous {
    /** The outputs. */
    public static final int LOSS = 0;
    public static final int GRADIENT = 1;
    public static final int AUXILIARY_GRADIENT = 2;
    private static final int LABELS = 2;

    @Override
    public String name() {
        return "AuxiliarySoftmaxCrossEntropy";
    }

    @Override
    public int inPlaceInput(int output) {
        return output - GRADIENT;
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 3, "logits, auxiliary logits, labels");
        SymbolicShape logits = Operands.sameShape("logits",
                Operands.require(inputs, 0, "logits", ElementType.FLOAT32, 2), "auxiliary logits",
                Operands.require(inputs, 1, "auxiliary logits", ElementType.FLOAT32, 2));
        SymbolicShape labels = Operands.require(inputs, LABELS, "labels", ElementType.INT32, 1);
        Dimension batch = Operands.sameDimension("rows of logits" + logits, logits.dimension(0), "length of labels",
                labels.dimension(0));
        TensorType gradient = new TensorType(ElementType.FLOAT32, SymbolicShape.of(batch, logits.dimension(1)));
        return List.of(TensorType.of(ElementType.FLOAT32), gradient, gradient);
    }

    @Override
    public void compute(KernelContext context) {
        Operands.checkSameShape(context, "logits", context.input(0).shape(), "auxiliary logits",
                context.input(1).shape());
        Tensor labels = context.input(LABELS);
        Shape shape = context.input(0).shape();
        double loss = SoftmaxCrossEntropy.rows(context, context.input(0), labels,
                context.outputInPlace(GRADIENT, 0, shape), 1);
        double auxiliary = SoftmaxCrossEntropy.rows(context, context.input(1), labels,
                context.outputInPlace(AUXILIARY_GRADIENT, 1, shape), share);
        context.allocateOutput(LOSS, ElementType.FLOAT32, Shape.of()).memory().setAtIndex(JAVA_FLOAT, 0,
                (float) (loss + share * auxiliary));
    }
}
