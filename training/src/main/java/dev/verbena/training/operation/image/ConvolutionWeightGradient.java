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
import dev.verbena.training.blas.Blas;
import dev.verbena.training.operation.Operands;

/**
 * The gradient of a {@link Convolution}'s filters: inputs (x [batch, in, height, width], gradient behind it [batch, out, rows, columns]),
 * output [out, in, window's height, window's width]. A sum over the batch, image after image, whatever the number of threads.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * @param window the convolution's
 */
public record ConvolutionWeightGradient(Window window) implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "ConvolutionWeightGradient";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 2, "x, gradient");
        SymbolicShape x = Operands.require(inputs, 0, "x", ElementType.FLOAT32, 4);
        SymbolicShape gradient = Operands.require(inputs, 1, "gradient", ElementType.FLOAT32, 4);
        Operands.sameShape("gradient", gradient, "the convolution's output", window.over(x, gradient.dimension(1)));
        return List.of(new TensorType(ElementType.FLOAT32, SymbolicShape.of(gradient.dimension(1), x.dimension(1),
                Dimension.of(window.height()), Dimension.of(window.width()))));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor x = context.input(0);
        Tensor gradient = context.input(1);
        long outputs = gradient.shape().dimension(1);
        Operands.checkSameShape(context, "gradient", gradient.shape(), "the convolution's output",
                window.over(context, x.shape(), outputs));
        Tensor sum = context.allocateOutput(0, ElementType.FLOAT32,
                Shape.of(outputs, x.shape().dimension(1), window.height(), window.width()));
        MemorySegment weight = sum.memory().fill((byte) 0);
        if (sum.shape().elementCount() == 0) {
            return;
        }
        Columns columns = Columns.of(window, x.shape(), gradient.shape());
        MemorySegment block = columns.isImage() ? null : columns.allocateBlock(context).memory();
        for (long image = 0; image < x.shape().dimension(0); image++) {
            MemorySegment pixels = x.memory().asSlice(image * columns.imageSize() * Float.BYTES);
            MemorySegment behind = gradient.memory().asSlice(image * outputs * columns.positions() * Float.BYTES);
            addImage(columns, pixels, behind, outputs, block, weight);
        }
    }

    private static void addImage(Columns columns, MemorySegment pixels, MemorySegment behind, long outputs,
            MemorySegment block, MemorySegment weight) {
        int blockRows = columns.isImage() ? columns.rows() : columns.blockRows();
        for (int row = 0; row < columns.rows(); row += blockRows) {
            int rowCount = Math.min(blockRows, columns.rows() - row);
            long width = (long) rowCount * columns.columns();
            if (!columns.isImage()) {
                columns.gather(pixels, block, row, rowCount);
            }
            Blas.get().multiply(false, true, outputs, columns.depth(), width,
                    new Blas.Matrix(behind, (long) row * columns.columns(), columns.positions()),
                    Blas.Matrix.of(columns.isImage() ? pixels : block, width), Blas.Matrix.of(weight, columns.depth()),
                    true);
        }
    }
}
