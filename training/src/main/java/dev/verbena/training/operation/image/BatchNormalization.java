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
 * Each channel with the mean 0 and the variance 1 over the batch, then scaled and shifted, as in training: inputs (x [batch, channels,
 * height, width], scale [channels], shift [channels]); outputs (y, like x and in its place where possible; mean of x [channels]; inverse
 * of its standard deviation [channels], both for the gradient).
 *
 * <p>{@code y = (x - mean) / sqrt(variance + epsilon) * scale + shift}; the variance is over the batch, biased. Sums are in double.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * <p>Source: Ioffe, Szegedy, <i>Batch normalization</i>, 2015, algorithm 1.
 */
public record BatchNormalization(double epsilon) implements Operation, Kernel.Synchronous {
    /** The outputs. */
    public static final int Y = 0;
    public static final int MEAN = 1;
    public static final int INVERSE_DEVIATION = 2;

    public BatchNormalization {
        if (!(epsilon > 0)) {
            throw new IllegalArgumentException("epsilon=" + epsilon + "; it is positive, for a variance may be 0");
        }
    }

    @Override
    public String name() {
        return "BatchNormalization";
    }

    @Override
    public int inPlaceInput(int output) {
        return output == Y ? 0 : -1;
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 3, "x, scale, shift");
        SymbolicShape x = Operands.require(inputs, 0, "x", ElementType.FLOAT32, 4);
        SymbolicShape scale = Operands.require(inputs, 1, "scale", ElementType.FLOAT32, 1);
        SymbolicShape shift = Operands.require(inputs, 2, "shift", ElementType.FLOAT32, 1);
        Dimension channels = Operands.sameDimension("channels of x" + x, x.dimension(1), "length of scale",
                scale.dimension(0));
        channels = Operands.sameDimension("channels of x" + x, channels, "length of shift", shift.dimension(0));
        TensorType ofChannels = new TensorType(ElementType.FLOAT32, SymbolicShape.of(channels));
        return List.of(new TensorType(ElementType.FLOAT32, x.with(1, channels)), ofChannels, ofChannels);
    }

    @Override
    public void compute(KernelContext context) {
        Tensor x = context.input(0);
        Planes planes = Planes.of(x.shape());
        long channels = planes.channels();
        Operands.checkSame(context, "channels of x", channels, "length of scale",
                context.input(1).shape().dimension(0));
        Operands.checkSame(context, "channels of x", channels, "length of shift",
                context.input(2).shape().dimension(0));
        MemorySegment y = context.outputInPlace(Y, 0, x.shape()).memory();
        MemorySegment means = context.allocateOutput(MEAN, ElementType.FLOAT32, Shape.of(channels)).memory();
        MemorySegment inverses = context.allocateOutput(INVERSE_DEVIATION, ElementType.FLOAT32, Shape.of(channels))
                .memory();
        for (long channel = 0; channel < channels; channel++) {
            double mean = mean(planes, x.memory(), channel);
            double inverse = 1 / Math.sqrt(variance(planes, x.memory(), channel, mean) + epsilon);
            means.setAtIndex(JAVA_FLOAT, channel, (float) mean);
            inverses.setAtIndex(JAVA_FLOAT, channel, (float) inverse);
            double scale = context.input(1).memory().getAtIndex(JAVA_FLOAT, channel) * inverse;
            double shift = context.input(2).memory().getAtIndex(JAVA_FLOAT, channel);
            for (long plane = channel; plane < planes.count(); plane += channels) {
                normalize(x.memory(), (float) mean, (float) scale, (float) shift, y, plane * planes.size(),
                        planes.size());
            }
        }
    }

    private static double mean(Planes planes, MemorySegment x, long channel) {
        double sum = 0;
        for (long plane = channel; plane < planes.count(); plane += planes.channels()) {
            sum += Planes.sum(x, plane * planes.size(), planes.size());
        }
        return sum / Math.max(1, planes.channelSize());
    }

    private static double variance(Planes planes, MemorySegment x, long channel, double mean) {
        double sum = 0;
        for (long plane = channel; plane < planes.count(); plane += planes.channels()) {
            sum += Planes.sumOfProducts(x, mean, x, mean, plane * planes.size(), planes.size());
        }
        return sum / Math.max(1, planes.channelSize());
    }

    private static void normalize(MemorySegment x, float mean, float scale, float shift, MemorySegment y, long from,
            long count) {
        for (long i = 0; i < count; i++) {
            y.setAtIndex(JAVA_FLOAT, from + i, (x.getAtIndex(JAVA_FLOAT, from + i) - mean) * scale + shift);
        }
    }
}
