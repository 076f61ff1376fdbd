package dev.verbena.training.operation;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
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
 * The gradient of an {@link Embedding} by its table, of those rows alone that ids name: inputs (ids INT32 [time, batch],
 * gradient [time, batch, width]), outputs (ids INT32 [k], ascending, each once; their rows [k, width]). How many there are, the
 * run tells. Sums are taken in the order of the ids, so that they are those of {@link EmbeddingGradient} to the last bit.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * @param countName what the unknown dimension k is called; dimensions of one name are equal, so each node gives its own
 */
public record SparseEmbeddingGradient(String countName) implements Operation, Kernel.Synchronous {
    /** The outputs. */
    static final int IDS = 0;
    static final int ROWS = 1;

    @Override
    public String name() {
        return "SparseEmbeddingGradient";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        SymbolicShape gradient = EmbeddingGradient.inferGradient(inputs);
        Dimension count = Dimension.unknown(countName, "it is how many different ids the run has");
        return List.of(new TensorType(ElementType.INT32, SymbolicShape.of(count)),
                new TensorType(ElementType.FLOAT32, SymbolicShape.of(count, gradient.dimension(2))));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor ids = context.input(0);
        Tensor gradient = context.input(1);
        long width = gradient.shape().dimension(2);
        int count = Math.toIntExact(ids.shape().elementCount());
        Operands.checkSame(context, "number of ids", count, "rows of gradient",
                gradient.shape().dimension(0) * gradient.shape().dimension(1));
        long[] places = byId(context, ids.memory(), count);
        int distinct = 0;
        for (int i = 0; i < count; i++) {
            distinct += i == 0 || id(places[i]) != id(places[i - 1]) ? 1 : 0;
        }
        MemorySegment names = context.allocateOutput(IDS, ElementType.INT32, Shape.of(distinct)).memory();
        MemorySegment rows = context.allocateOutput(ROWS, ElementType.FLOAT32, Shape.of(distinct, width)).memory();
        rows.fill((byte) 0);
        int row = -1;
        for (int i = 0; i < count; i++) {
            if (i == 0 || id(places[i]) != id(places[i - 1])) {
                row++;
                names.setAtIndex(JAVA_INT, row, id(places[i]));
            }
            EmbeddingGradient.addRow(gradient.memory(), (int) places[i] * width, rows, row * width, width);
        }
    }

    /** Each id with its place below it, so that sorting puts equal ids side by side and keeps the order of their places. */
    private static long[] byId(KernelContext context, MemorySegment ids, int count) {
        long[] places = new long[count];
        for (int place = 0; place < count; place++) {
            int id = Operands.checkIndex(context, "id", ids.getAtIndex(JAVA_INT, place), "place", place,
                    Integer.MAX_VALUE, "rows in a table at most");
            places[place] = (long) id << Integer.SIZE | place;
        }
        Arrays.sort(places);
        return places;
    }

    private static int id(long place) {
        return (int) (place >>> Integer.SIZE);
    }
}
