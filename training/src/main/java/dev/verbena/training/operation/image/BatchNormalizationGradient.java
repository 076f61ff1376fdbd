package dev.verbena.training.operation.image;

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
import dev.verbena.training.operation.Operands;

/**
 * The gradients of a {@link BatchNormalization}: inputs (gradient behind it and x, both [batch, channels, height, width]; scale, mean and
 * inverse deviation [channels]); outputs (gradient of x, in the first one's place where possible; of the scale; of the shift).
 *
 * <p>With n = (x - mean) * inverse and means over a channel of the batch: gradient of x = scale * inverse * (g - mean(g) - n * mean(g * n)),
 * of the scale = sum(g * n), of the shift = sum(g).
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record BatchNormalizationGradient() implements Operation, Kernel.Synchronous {
    /** The outputs. */
    public static final int X = 0;
    public static final int SCALE = 1;
    public static final int SHIFT = 2;

    @Override
    public String name() {
        return "BatchNormalizationGradient";
    }

    @Override
    public int inPlaceInput(int output) {
        return output == X ? 0 : -1;
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 5, "gradient, x, scale, mean, inverse deviation");
        SymbolicShape gradient = Operands.require(inputs, 0, "gradient", ElementType.FLOAT32, 4);
        SymbolicShape x = Operands.require(inputs, 1, "x", ElementType.FLOAT32, 4);
        SymbolicShape shape = Operands.sameShape("gradient", gradient, "x", x);
        Dimension channels = shape.dimension(1);
        for (int i = 2; i < inputs.size(); i++) {
            SymbolicShape ofChannels = Operands.require(inputs, i, role(i), ElementType.FLOAT32, 1);
            channels = Operands.sameDimension("channels of x" + x, channels, "length of " + role(i),
                    ofChannels.dimension(0));
        }
        TensorType ofChannels = new TensorType(ElementType.FLOAT32, SymbolicShape.of(channels));
        return List.of(new TensorType(ElementType.FLOAT32, shape.with(1, channels)), ofChannels, ofChannels);
    }

    private static String role(int input) {
        return List.of("scale", "mean", "inverse deviation").get(input - 2);
    }

    @Override
    public void compute(KernelContext context) {
        Tensor gradient = context.input(0);
        Tensor x = context.input(1);
        Operands.checkSameShape(context, "gradient", gradient.shape(), "x", x.shape());
        Planes planes = Planes.of(x.shape());
        for (int i = 2; i < context.inputCount(); i++) {
            Operands.checkSame(context, "channels of x", planes.channels(), "length of " + role(i),
                    context.input(i).shape().dimension(0));
        }
        MemorySegment before = context.outputInPlace(X, 0, x.shape()).memory();
        MemorySegment scales = context.allocateOutput(SCALE, ElementType.FLOAT32, Shape.of(planes.channels())).memory();
        MemorySegment shifts = context.allocateOutput(SHIFT, ElementType.FLOAT32, Shape.of(planes.channels())).memory();
        for (long channel = 0; channel < planes.channels(); channel++) {
            double scale = context.input(2).memory().getAtIndex(JAVA_FLOAT, channel);
            double mean = context.input(3).memory().getAtIndex(JAVA_FLOAT, channel);
            double inverse = context.input(4).memory().getAtIndex(JAVA_FLOAT, channel);
            double sum = 0;
            double product = 0;
            for (long plane = channel; plane < planes.count(); plane += planes.channels()) {
                long from = plane * planes.size();
                sum += Planes.sum(gradient.memory(), from, planes.size());
                product += Planes.sumOfProducts(x.memory(), mean, gradient.memory(), 0, from, planes.size()) * inverse;
            }
            scales.setAtIndex(JAVA_FLOAT, channel, (float) product);
            shifts.setAtIndex(JAVA_FLOAT, channel, (float) sum);
            double count = planes.channelSize();
            for (long plane = channel; plane < planes.count(); plane += planes.channels()) {
                goBack(gradient.memory(), x.memory(), (float) mean, (float) (scale * inverse), (float) (sum / count),
                        (float) (inverse * product / count), before, plane * planes.size(), planes.size());
            }
        }
    }

    private static void goBack(MemorySegment behind, MemorySegment x, float mean, float factor, float meanGradient,
            float slope, MemorySegment before, long from, long count) {
        for (long i = 0; i < count; i++) {
            float centered = x.getAtIndex(JAVA_FLOAT, from + i) - mean;
            before.setAtIndex(JAVA_FLOAT, from + i,
                    factor * (behind.getAtIndex(JAVA_FLOAT, from + i) - meanGradient - centered * slope));
        }
    }
}
