package dev.verbena.training.operation.image;

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
 * Some channels of images, such as the gradient of one input of a {@link ChannelConcat}: input (x [batch, channels, height, width]), output
 * [batch, count, height, width].
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * @param first the first channel
 * @param count of channels
 */
public record ChannelSlice(long first, long count) implements Operation, Kernel.Synchronous {
    public ChannelSlice {
        if (first < 0 || count < 0) {
            throw new IllegalArgumentException(
                    "channels from first=" + first + " count=" + count + "; both are 0 or more");
        }
    }

    @Override
    public String name() {
        return "ChannelSlice";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 1, "x");
        SymbolicShape x = Operands.require(inputs, 0, "x", ElementType.FLOAT32, 4);
        if (x.dimension(1).plus(-first).plus(-count).isNegative()) {
            throw new IllegalArgumentException(
                    "channels from first=" + first + " count=" + count + " of x" + x + ", which has " + x.dimension(1));
        }
        return List.of(new TensorType(ElementType.FLOAT32, x.with(1, Dimension.of(count))));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor x = context.input(0);
        Shape shape = x.shape();
        if (first + count > shape.dimension(1)) {
            throw new IllegalArgumentException(
                    "node '" + context.nodeName() + "': channels from first=" + first + " count="
                            + count + " of x" + shape + ", which has " + shape.dimension(1));
        }
        MemorySegment slice = context.allocateOutput(0, ElementType.FLOAT32,
                Shape.of(shape.dimension(0), count, shape.dimension(2), shape.dimension(3))).memory();
        long planeBytes = shape.dimension(2) * shape.dimension(3) * Float.BYTES;
        for (long image = 0; image < shape.dimension(0); image++) {
            MemorySegment.copy(x.memory(), (image * shape.dimension(1) + first) * planeBytes, slice,
                    image * count * planeBytes, count * planeBytes);
        }
    }
}
