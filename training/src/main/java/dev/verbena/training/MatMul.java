package dev.verbena.training;

import java.util.List;

import dev.verbena.graph.KernelContext;
import dev.verbena.graph.Operation;
import dev.verbena.graph.PartialShape;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/**
 * The product of two matrices, each transposed first where asked: inputs (a, b), output op(a) * op(b).
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
record MatMul(boolean transposeA, boolean transposeB) implements Operation.Synchronous {
    @Override
    public String name() {
        return "MatMul";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 2, "a, b");
        PartialShape a = Operands.require(inputs, 0, "a", ElementType.FLOAT32, 2);
        PartialShape b = Operands.require(inputs, 1, "b", ElementType.FLOAT32, 2);
        Operands.sameDimension("inner dimension of a" + a, a.dimension(transposeA ? 0 : 1), "inner dimension of b" + b,
                b.dimension(transposeB ? 1 : 0));
        return List.of(TensorType.of(ElementType.FLOAT32, a.dimension(transposeA ? 1 : 0),
                b.dimension(transposeB ? 0 : 1)));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor a = context.input(0);
        Tensor b = context.input(1);
        long m = a.shape().dimension(transposeA ? 1 : 0);
        long k = a.shape().dimension(transposeA ? 0 : 1);
        long n = b.shape().dimension(transposeB ? 0 : 1);
        Operands.checkSame(context, "inner dimension of a", k, "inner dimension of b",
                b.shape().dimension(transposeB ? 1 : 0));
        Tensor product = context.allocateOutput(0, ElementType.FLOAT32, Shape.of(m, n));
        Blas.get().multiply(transposeA, transposeB, m, n, k, a.memory(), b.memory(), product.memory());
    }
}
