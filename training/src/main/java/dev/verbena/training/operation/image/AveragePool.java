package dev.verbena.training.operation.image;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

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
import dev.verbena.training.operation.Operands;

/**
 * The mean of what a window shows of each channel: input (x [batch, channels, height, width]), output [batch, channels, rows, columns]. A
 * window of the image's size gives the mean over all.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * @param countsPadding whether the mean is over the whole window, with zeros for the padding, rather than over what it shows of the image
 */
public record AveragePool(Window window, boolean countsPadding) implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "AveragePool";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 1, "x");
        SymbolicShape x = Operands.require(inputs, 0, "x", ElementType.FLOAT32, 4);
        return List.of(new TensorType(ElementType.FLOAT32, window.over(x, x.dimension(1))));
    }

    @Override
    public void compute(KernelContext context) {
        Shape x = context.input(0).shape();
        Shape shape = window.over(context, x, x.dimension(1));
        MemorySegment y = context.allocateOutput(0, ElementType.FLOAT32, shape).memory();
        Views views = Views.of(window, x, shape);
        for (long plane = 0; plane < views.planes(); plane++) {
            pool(views, context.input(0).memory(), plane * views.imageSize(), y, plane * views.positions());
        }
    }

    private void pool(Views views, MemorySegment x, long from, MemorySegment y, long to) {
        long position = to;
        for (int row = 0; row < views.rows(); row++) {
            int top = views.top(row);
            int bottom = views.bottom(row);
            for (int column = 0; column < views.columns(); column++) {
                int left = views.left(column);
                int right = views.right(column);
                y.setAtIndex(JAVA_FLOAT, position++, sum(x, from, views.width(), top, bottom, left, right)
                        / count(window, countsPadding, bottom - top, right - left));
            }
        }
    }

    /** What the sum over a window is divided by. @param height of what it shows of the image @param width likewise */
    static float count(Window window, boolean countsPadding, int height, int width) {
        return countsPadding ? (float) window.height() * window.width() : (float) height * width;
    }

    private static float sum(MemorySegment x, long from, int width, int top, int bottom, int left, int right) {
        float sum = 0;
        for (int row = top; row < bottom; row++) {
            long line = from + (long) row * width;
            for (int column = left; column < right; column++) {
                sum += x.getAtIndex(JAVA_FLOAT, line + column);
            }
        }
        return sum;
    }
}
