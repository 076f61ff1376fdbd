package dev.verbena.training.operation;

import static java.lang.foreign.ValueLayout.JAVA_INT;

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

/**
 * The rows of a table that ids name: inputs (table [vocabulary, width], ids INT32 [time, batch]), output [time, batch, width].
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record Embedding() implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "Embedding";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 2, "table, ids");
        SymbolicShape table = Operands.require(inputs, 0, "table", ElementType.FLOAT32, 2);
        SymbolicShape ids = Operands.require(inputs, 1, "ids", ElementType.INT32, 2);
        return List.of(new TensorType(ElementType.FLOAT32,
                SymbolicShape.of(ids.dimension(0), ids.dimension(1), table.dimension(1))));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor table = context.input(0);
        Tensor ids = context.input(1);
        long vocabulary = table.shape().dimension(0);
        long rowByteSize = table.shape().dimension(1) * Float.BYTES;
        Tensor rows = context.allocateOutput(0, ElementType.FLOAT32,
                Shape.of(ids.shape().dimension(0), ids.shape().dimension(1), table.shape().dimension(1)));
        MemorySegment from = table.memory();
        MemorySegment to = rows.memory();
        MemorySegment idMemory = ids.memory();
        long count = ids.shape().elementCount();
        for (long place = 0; place < count; place++) {
            int id = Operands.checkIndex(context, "id", idMemory.getAtIndex(JAVA_INT, place), "place", place,
                    vocabulary, "rows in the table");
            MemorySegment.copy(from, id * rowByteSize, to, place * rowByteSize, rowByteSize);
        }
    }
}
