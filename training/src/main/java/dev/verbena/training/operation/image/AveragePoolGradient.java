package dev.verbena.training.operation.image;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

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
import dev.verbena.training.operation.Operands;

/**
 * The gradient before an {@link AveragePool}: input (gradient behind it [batch, channels, rows, columns]), output [batch, channels, height,
 * width]. Each pixel that a window showed gets its share.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * @param window the pool's
 * @param countsPadding the pool's
 * @param height of an image, in pixels
 * @param width of an image, in pixels
 */
public record AveragePoolGradient(Window window, boolean countsPadding, long height, long width)
        implements
            Operation,
            Kernel.Synchronous {
    @Override
    public String name() {
        return "AveragePoolGradient";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 1, "gradient");
        SymbolicShape gradient = Operands.require(inputs, 0, "gradient", ElementType.FLOAT32, 4);
        SymbolicShape x = SymbolicShape.of(gradient.dimension(0), gradient.dimension(1), Dimension.of(height),
                Dimension.of(width));
        Operands.sameShape("gradient", gradient, "the pool's output", window.over(x, gradient.dimension(1)));
        return List.of(new TensorType(ElementType.FLOAT32, x));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor gradient = context.input(0);
        long channels = gradient.shape().dimension(1);
        Shape shape = Shape.of(gradient.shape().dimension(0), channels, height, width);
        Operands.checkSameShape(context, "gradient", gradient.shape(), "the pool's output",
                window.over(context, shape, channels));
        MemorySegment before = context.allocateOutput(0, ElementType.FLOAT32, shape).memory().fill((byte) 0);
        Views views = Views.of(window, shape, gradient.shape());
        for (long plane = 0; plane < views.planes(); plane++) {
            goBack(views, gradient.memory(), plane * views.positions(), before, plane * views.imageSize());
        }
    }

    private void goBack(Views views, MemorySegment behind, long from, MemorySegment before, long to) {
        long position = from;
        for (int row = 0; row < views.rows(); row++) {
            int top = views.top(row);
            int bottom = views.bottom(row);
            for (int column = 0; column < views.columns(); column++) {
                int left = views.left(column);
                int right = views.right(column);
                float share = behind.getAtIndex(JAVA_FLOAT, position++)
                        / AveragePool.count(window, countsPadding, bottom - top, right - left);
                add(share, before, to, views.width(), top, bottom, left, right);
            }
        }
    }

    private static void add(float share, MemorySegment before, long to, int width, int top, int bottom, int left,
            int right) {
        for (int row = top; row < bottom; row++) {
            long line = to + (long) row * width;
            for (int column = left; column < right; column++) {
                before.setAtIndex(JAVA_FLOAT, line + column, before.getAtIndex(JAVA_FLOAT, line + column) + share);
            }
        }
    }
}
