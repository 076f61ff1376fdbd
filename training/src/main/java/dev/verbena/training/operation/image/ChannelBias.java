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
import dev.verbena.memory.Tensor;
import dev.verbena.training.operation.Operands;

/**
 * Adds a bias to each channel: inputs (x [batch, channels, height, width], bias [channels]), output like x and in its place where possible.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record ChannelBias() implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "ChannelBias";
    }

    @Override
    public int inPlaceInput(int output) {
        return 0;
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 2, "x, bias");
        SymbolicShape x = Operands.require(inputs, 0, "x", ElementType.FLOAT32, 4);
        SymbolicShape bias = Operands.require(inputs, 1, "bias", ElementType.FLOAT32, 1);
        return List.of(new TensorType(ElementType.FLOAT32, x.with(1,
                Operands.sameDimension("channels of x" + x, x.dimension(1), "length of bias", bias.dimension(0)))));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor x = context.input(0);
        MemorySegment bias = context.input(1).memory();
        long channels = x.shape().dimension(1);
        Operands.checkSame(context, "channels of x", channels, "length of bias",
                context.input(1).shape().dimension(0));
        Tensor sum = context.outputInPlace(0, 0, x.shape());
        Planes planes = Planes.of(x.shape());
        for (long plane = 0; plane < planes.count(); plane++) {
            addPlane(x.memory(), bias.getAtIndex(JAVA_FLOAT, plane % channels), sum.memory(), plane * planes.size(),
                    planes.size());
        }
    }

    private static void addPlane(MemorySegment x, float bias, MemorySegment sum, long from, long count) {
        for (long i = 0; i < count; i++) {
            sum.setAtIndex(JAVA_FLOAT, from + i, x.getAtIndex(JAVA_FLOAT, from + i) + bias);
        }
    }
}
