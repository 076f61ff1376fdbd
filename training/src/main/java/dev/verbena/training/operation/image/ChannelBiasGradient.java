package dev.verbena.training.operation.image;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.List;

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
 * The gradient of a {@link ChannelBias}'s bias: input (gradient behind it [batch, channels, height, width]), output [channels], the sums
 * over each channel, image after image, in double.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record ChannelBiasGradient() implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "ChannelBiasGradient";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 1, "gradient");
        SymbolicShape gradient = Operands.require(inputs, 0, "gradient", ElementType.FLOAT32, 4);
        return List.of(new TensorType(ElementType.FLOAT32, SymbolicShape.of(gradient.dimension(1))));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor gradient = context.input(0);
        MemorySegment behind = gradient.memory();
        Planes planes = Planes.of(gradient.shape());
        MemorySegment sums = context.allocateOutput(0, ElementType.FLOAT32, Shape.of(planes.channels())).memory();
        for (long channel = 0; channel < planes.channels(); channel++) {
            double sum = 0;
            for (long plane = channel; plane < planes.count(); plane += planes.channels()) {
                sum += Planes.sum(behind, plane * planes.size(), planes.size());
            }
            sums.setAtIndex(JAVA_FLOAT, channel, (float) sum);
        }
    }
}
