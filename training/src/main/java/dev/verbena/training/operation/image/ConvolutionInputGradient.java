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
 * The gradient of a {@link Convolution}'s images: inputs (gradient behind it [batch, out, rows, columns], weight [out, in, window's height,
 * window's width]), output [batch, in, height, width].
 *
 * <p>The images themselves are no input, so nothing of theirs is kept for it; their height and width, which do not follow from the
 * gradient where steps are longer than a pixel, are told.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * @param window the convolution's
 * @param height of an image, in pixels
 * @param width of an image, in pixels
 */
public record ConvolutionInputGradient(Window window, long height,
        long width) implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "ConvolutionInputGradient";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 2, "gradient, weight");
        SymbolicShape gradient = Operands.require(inputs, 0, "gradient", ElementType.FLOAT32, 4);
        SymbolicShape weight = Operands.require(inputs, 1, "weight", ElementType.FLOAT32, 4);
        Operands.sameDimension("channels of gradient" + gradient, gradient.dimension(1), "outputs of weight" + weight,
                weight.dimension(0));
        window.requireSizeOf(weight);
        SymbolicShape x = SymbolicShape.of(gradient.dimension(0), weight.dimension(1), Dimension.of(height),
                Dimension.of(width));
        Operands.sameShape("gradient", gradient, "the convolution's output", window.over(x, gradient.dimension(1)));
        return List.of(new TensorType(ElementType.FLOAT32, x));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor gradient = context.input(0);
        Tensor weight = context.input(1);
        long outputs = gradient.shape().dimension(1);
        Operands.checkSame(context, "channels of gradient", outputs, "outputs of weight",
                weight.shape().dimension(0));
        window.checkSizeOf(context, weight.shape());
        Shape shape = Shape.of(gradient.shape().dimension(0), weight.shape().dimension(1), height, width);
        Operands.checkSameShape(context, "gradient", gradient.shape(), "the convolution's output",
                window.over(context, shape, outputs));
        Tensor before = context.allocateOutput(0, ElementType.FLOAT32, shape);
        if (shape.elementCount() == 0) {
            return;
        }
        Columns columns = Columns.of(window, shape, gradient.shape());
        long imageSize = columns.imageSize() * Float.BYTES;
        MemorySegment block = columns.isImage() ? null : columns.allocateBlock(context).memory();
        for (long image = 0; image < shape.dimension(0); image++) {
            MemorySegment behind = gradient.memory().asSlice(image * outputs * columns.positions() * Float.BYTES);
            MemorySegment pixels = before.memory().asSlice(image * imageSize, imageSize);
            if (columns.isImage()) {
                Blas.get().multiply(true, false, columns.depth(), columns.positions(), outputs, weight.memory(),
                        behind, pixels);
            } else {
                goBack(columns, behind, weight.memory(), outputs, block, pixels.fill((byte) 0));
            }
        }
    }

    private static void goBack(Columns columns, MemorySegment behind, MemorySegment weight, long outputs,
            MemorySegment block, MemorySegment pixels) {
        int blockRows = columns.blockRows();
        for (int row = 0; row < columns.rows(); row += blockRows) {
            int rowCount = Math.min(blockRows, columns.rows() - row);
            long width = (long) rowCount * columns.columns();
            Blas.get().multiply(true, false, columns.depth(), width, outputs, Blas.Matrix.of(weight, columns.depth()),
                    new Blas.Matrix(behind, (long) row * columns.columns(), columns.positions()),
                    Blas.Matrix.of(block, width), false);
            columns.scatter(block, pixels, row, rowCount);
        }
    }
}
