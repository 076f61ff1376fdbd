package dev.verbena.training.operation.image;

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
import dev.verbena.training.blas.Blas;
import dev.verbena.training.operation.Operands;

/**
 * The convolution of images with filters, a product of matrices: inputs (x [batch, in, height, width], weight [out, in, window's height,
 * window's width]), output [batch, out, rows, columns].
 *
 * <p>As in every network it is a correlation: the window is not mirrored. A bias is added by {@link ChannelBias}.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * <p>Source: Chellapilla, Puri, Simard, <i>High performance convolutional neural networks for document processing</i>, 2006, section 3.
 */
public record Convolution(Window window) implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "Convolution";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 2, "x, weight");
        SymbolicShape x = Operands.require(inputs, 0, "x", ElementType.FLOAT32, 4);
        SymbolicShape weight = Operands.require(inputs, 1, "weight", ElementType.FLOAT32, 4);
        Operands.sameDimension("channels of x" + x, x.dimension(1), "inputs of weight" + weight, weight.dimension(1));
        window.requireSizeOf(weight);
        return List.of(new TensorType(ElementType.FLOAT32, window.over(x, weight.dimension(0))));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor x = context.input(0);
        Tensor weight = context.input(1);
        Operands.checkSame(context, "channels of x", x.shape().dimension(1), "inputs of weight",
                weight.shape().dimension(1));
        window.checkSizeOf(context, weight.shape());
        Shape shape = window.over(context, x.shape(), weight.shape().dimension(0));
        Tensor y = context.allocateOutput(0, ElementType.FLOAT32, shape);
        if (shape.elementCount() == 0) {
            return;
        }
        Columns columns = Columns.of(window, x.shape(), shape);
        long outputSize = shape.dimension(1) * columns.positions() * Float.BYTES;
        MemorySegment block = columns.isImage() ? null : columns.allocateBlock(context).memory();
        for (long image = 0; image < shape.dimension(0); image++) {
            MemorySegment pixels = x.memory().asSlice(image * columns.imageSize() * Float.BYTES);
            MemorySegment output = y.memory().asSlice(image * outputSize, outputSize);
            if (columns.isImage()) {
                Blas.get().multiply(false, false, shape.dimension(1), columns.positions(), columns.depth(),
                        weight.memory(), pixels, output);
            } else {
                convolve(columns, pixels, weight.memory(), shape.dimension(1), block, output);
            }
        }
    }

    private static void convolve(Columns columns, MemorySegment pixels, MemorySegment weight, long outputs,
            MemorySegment block, MemorySegment y) {
        int blockRows = columns.blockRows();
        for (int row = 0; row < columns.rows(); row += blockRows) {
            int rowCount = Math.min(blockRows, columns.rows() - row);
            long width = (long) rowCount * columns.columns();
            columns.gather(pixels, block, row, rowCount);
            Blas.get().multiply(false, false, outputs, width, columns.depth(), Blas.Matrix.of(weight, columns.depth()),
                    Blas.Matrix.of(block, width),
                    new Blas.Matrix(y, (long) row * columns.columns(), columns.positions()), false);
        }
    }
}
