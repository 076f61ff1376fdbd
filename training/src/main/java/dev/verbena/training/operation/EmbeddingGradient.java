package dev.verbena.training.operation;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
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
 * The gradient of an {@link Embedding} by its table, with all its rows: inputs (ids INT32 [time, batch], gradient [time, batch,
 * width]), output [vocabulary, width]; rows that no id names are zero. Sums are taken in the order of the ids.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * @param vocabulary rows of the table
 */
public record EmbeddingGradient(long vocabulary) implements Operation, Kernel.Synchronous {
    public EmbeddingGradient {
        if (vocabulary < 1) {
            throw new IllegalArgumentException("vocabulary=" + vocabulary + "; a table has at least one row");
        }
    }

    @Override
    public String name() {
        return "EmbeddingGradient";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        SymbolicShape gradient = inferGradient(inputs);
        return List.of(new TensorType(ElementType.FLOAT32,
                SymbolicShape.of(vocabulary, 0).with(1, gradient.dimension(2))));
    }

    /** The shape of the gradient, where it fits the ids. */
    static SymbolicShape inferGradient(List<TensorType> inputs) {
        Operands.requireCount(inputs, 2, "ids, gradient");
        SymbolicShape ids = Operands.require(inputs, 0, "ids", ElementType.INT32, 2);
        SymbolicShape gradient = Operands.require(inputs, 1, "gradient", ElementType.FLOAT32, 3);
        for (int i = 0; i < ids.rank(); i++) {
            Operands.sameDimension("dimension " + i + " of ids", ids.dimension(i), "that of gradient",
                    gradient.dimension(i));
        }
        return gradient;
    }

    @Override
    public void compute(KernelContext context) {
        Tensor ids = context.input(0);
        Tensor gradient = context.input(1);
        long width = gradient.shape().dimension(2);
        long count = ids.shape().elementCount();
        Operands.checkSame(context, "number of ids", count, "rows of gradient",
                gradient.shape().dimension(0) * gradient.shape().dimension(1));
        MemorySegment idMemory = ids.memory();
        MemorySegment sum = context.allocateOutput(0, ElementType.FLOAT32, Shape.of(vocabulary, width)).memory();
        sum.fill((byte) 0);
        for (long place = 0; place < count; place++) {
            int id = Operands.checkIndex(context, "id", idMemory.getAtIndex(JAVA_INT, place), "place", place,
                    vocabulary, "rows in the table");
            addRow(gradient.memory(), place * width, sum, id * width, width);
        }
    }

    static void addRow(MemorySegment rows, long from, MemorySegment sum, long to, long width) {
        for (long column = 0; column < width; column++) {
            sum.setAtIndex(JAVA_FLOAT, to + column,
                    sum.getAtIndex(JAVA_FLOAT, to + column) + rows.getAtIndex(JAVA_FLOAT, from + column));
        }
    }
}
