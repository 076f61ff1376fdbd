package dev.verbena.training.operation;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

import dev.verbena.graph.Operation;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;
import dev.verbena.training.blas.Blas;

/**
 * One step of stochastic gradient descent for some rows of a table: inputs (variable [vocabulary, width], ids INT32 [k], rows [k,
 * width]); variable[ids[i]] -= learningRate * rows[i], where the variable lies. An id that no row has leaves all as it was. No
 * output: it is a target.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record ApplySgdSparse(float learningRate) implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "ApplySgdSparse";
    }

    @Override
    public Set<Integer> mutatedInputs() {
        return Set.of(0);
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 3, "variable, ids, rows");
        SymbolicShape variable = Operands.require(inputs, 0, "variable", ElementType.FLOAT32, 2);
        SymbolicShape ids = Operands.require(inputs, 1, "ids", ElementType.INT32, 1);
        SymbolicShape rows = Operands.require(inputs, 2, "rows", ElementType.FLOAT32, 2);
        Operands.sameDimension("length of ids", ids.dimension(0), "number of rows" + rows, rows.dimension(0));
        Operands.sameDimension("width of variable" + variable, variable.dimension(1), "width of rows" + rows,
                rows.dimension(1));
        return List.of();
    }

    @Override
    public void compute(KernelContext context) {
        Tensor variable = context.input(0);
        Tensor ids = context.input(1);
        Tensor rows = context.input(2);
        long width = variable.shape().dimension(1);
        long count = ids.shape().elementCount();
        Operands.checkSame(context, "length of ids", count, "number of rows", rows.shape().dimension(0));
        Operands.checkSame(context, "width of variable", width, "width of rows", rows.shape().dimension(1));
        MemorySegment idMemory = ids.memory();
        for (long place = 0; place < count; place++) {
            Operands.checkIndex(context, "id", idMemory.getAtIndex(JAVA_INT, place), "place", place,
                    variable.shape().dimension(0), "rows in the table");
        }
        long byteSize = width * Float.BYTES;
        for (long place = 0; place < count; place++) {
            Blas.get().addScaled(width, -learningRate, rows.memory().asSlice(place * byteSize, byteSize),
                    variable.memory().asSlice(idMemory.getAtIndex(JAVA_INT, place) * byteSize, byteSize));
        }
    }
}
