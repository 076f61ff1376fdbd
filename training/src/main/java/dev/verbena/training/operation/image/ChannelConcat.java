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
 * Images of one size with the channels of all inputs, in their order: inputs (x [batch, channels of its own, height, width] ...), output
 * [batch, all channels, height, width].
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record ChannelConcat() implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "ChannelConcat";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        if (inputs.isEmpty()) {
            throw new IllegalArgumentException("takes at least one input (x)");
        }
        SymbolicShape all = Operands.require(inputs, 0, "x", ElementType.FLOAT32, 4);
        Dimension channels = all.dimension(1);
        for (int i = 1; i < inputs.size(); i++) {
            SymbolicShape x = Operands.require(inputs, i, "x", ElementType.FLOAT32, 4);
            channels = channels.plus(x.dimension(1));
            all = Operands.sameShape("x 0", all, "x " + i, x.with(1, all.dimension(1)));
        }
        return List.of(new TensorType(ElementType.FLOAT32, all.with(1, channels)));
    }

    @Override
    public void compute(KernelContext context) {
        Shape first = context.input(0).shape();
        long channels = 0;
        for (int i = 0; i < context.inputCount(); i++) {
            Shape x = context.input(i).shape();
            channels += x.dimension(1);
            Operands.checkSameShape(context, "x 0", first, "x " + i,
                    Shape.of(x.dimension(0), first.dimension(1), x.dimension(2), x.dimension(3)));
        }
        Tensor all = context.allocateOutput(0, ElementType.FLOAT32,
                Shape.of(first.dimension(0), channels, first.dimension(2), first.dimension(3)));
        MemorySegment memory = all.memory();
        long to = 0;
        for (long image = 0; image < first.dimension(0); image++) {
            for (int i = 0; i < context.inputCount(); i++) {
                Tensor x = context.input(i);
                long byteSize = x.byteSize() / first.dimension(0);
                MemorySegment.copy(x.memory(), image * byteSize, memory, to, byteSize);
                to += byteSize;
            }
        }
    }
}
