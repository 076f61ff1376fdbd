package dev.verbena.training.operation;

import java.util.List;

import dev.verbena.graph.Operation;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.blas.Blas;

/**
 * The product of two matrices, each transposed first where asked: inputs (a, b), output op(a) * op(b).
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record MatMul(boolean transposeA, boolean transposeB) implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "MatMul";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 2, "a, b");
        SymbolicShape a = Operands.require(inputs, 0, "a", ElementType.FLOAT32, 2);
        SymbolicShape b = Operands.require(inputs, 1, "b", ElementType.FLOAT32, 2);
        Operands.sameDimension("inner dimension of a" + a, a.dimension(transposeA ? 0 : 1), "inner dimension of b" + b,
                b.dimension(transposeB ? 1 : 0));
        return List.of(new TensorType(ElementType.FLOAT32,
                SymbolicShape.of(a.dimension(transposeA ? 1 : 0), b.dimension(transposeB ? 0 : 1))));
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
