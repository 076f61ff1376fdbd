package dev.verbena.training.operation;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.verbena.graph.Operation;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;

/**
 * The sum of one or more tensors, added in the order of the inputs; in the first one's place where possible, and of a single one,
 * itself.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record Sum() implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "Sum";
    }

    @Override
    public int inPlaceInput(int output) {
        return 0;
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        if (inputs.isEmpty()) {
            throw new IllegalArgumentException("takes at least one term");
        }
        SymbolicShape shape = inputs.get(0).shape();
        for (int i = 0; i < inputs.size(); i++) {
            SymbolicShape other = Operands.require(inputs, i, "term", ElementType.FLOAT32, shape.rank());
            shape = Operands.sameShape("term 0", shape, "term " + i, other);
        }
        return List.of(new TensorType(ElementType.FLOAT32, shape));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor first = context.input(0);
        int inputs = context.inputCount();
        if (inputs == 1) {
            context.forward(0, 0, first.shape());
            return;
        }
        long count = first.shape().elementCount();
        for (int i = 1; i < inputs; i++) {
            Operands.checkSame(context, "elements of term 0", count, "elements of term " + i,
                    context.input(i).shape().elementCount());
        }
        MemorySegment sum = (isThereAgain(context, first)
                ? context.allocateOutput(0, first.type(), first.shape())
                : context.outputInPlace(0, 0, first.shape())).memory();
        for (long begin = 0; begin < count; begin += BlockSum.BLOCK) {
            BlockSum.write(context, 0, begin, Math.min(BlockSum.BLOCK, count - begin),
                    sum.asSlice(begin * Float.BYTES));
        }
    }

    /** Whether a later term is the first one: in its place that would be read when it is changed. */
    private static boolean isThereAgain(KernelContext context, Tensor first) {
        for (int i = 1; i < context.inputCount(); i++) {
            if (context.input(i).sharesStorageWith(first)) {
                return true;
            }
        }
        return false;
    }
}
