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
 * The gradient before a {@link MaxPool}: inputs (gradient behind it and y = its output, both [batch, channels, rows, columns], x [batch,
 * channels, height, width]), output like x. It goes to the pixel that was the largest, to the first of several.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * @param window the pool's
 */
public record MaxPoolGradient(Window window) implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "MaxPoolGradient";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Operands.requireCount(inputs, 3, "gradient, x, y");
        SymbolicShape gradient = Operands.require(inputs, 0, "gradient", ElementType.FLOAT32, 4);
        SymbolicShape x = Operands.require(inputs, 1, "x", ElementType.FLOAT32, 4);
        SymbolicShape y = Operands.require(inputs, 2, "y", ElementType.FLOAT32, 4);
        Operands.sameShape("gradient", gradient, "y", y);
        Operands.sameShape("y", y, "the pool's output", window.over(x, x.dimension(1)));
        return List.of(new TensorType(ElementType.FLOAT32, x));
    }

    @Override
    public void compute(KernelContext context) {
        Tensor gradient = context.input(0);
        Tensor x = context.input(1);
        Tensor y = context.input(2);
        Operands.checkSameShape(context, "gradient", gradient.shape(), "y", y.shape());
        Operands.checkSameShape(context, "y", y.shape(), "the pool's output",
                window.over(context, x.shape(), x.shape().dimension(1)));
        MemorySegment before = context.allocateOutput(0, ElementType.FLOAT32, x.shape()).memory().fill((byte) 0);
        Views views = Views.of(window, x.shape(), y.shape());
        for (long plane = 0; plane < views.planes(); plane++) {
            goBack(views, gradient.memory(), x.memory(), y.memory(), before, plane);
        }
    }

    private static void goBack(Views views, MemorySegment behind, MemorySegment x, MemorySegment y,
            MemorySegment before, long plane) {
        long from = plane * views.imageSize();
        long position = plane * views.positions();
        for (int row = 0; row < views.rows(); row++) {
            int top = views.top(row);
            int bottom = views.bottom(row);
            for (int column = 0; column < views.columns(); column++) {
                long pixel = first(x, from, views.width(), top, bottom, views.left(column), views.right(column),
                        y.getAtIndex(JAVA_FLOAT, position));
                before.setAtIndex(JAVA_FLOAT, pixel,
                        before.getAtIndex(JAVA_FLOAT, pixel) + behind.getAtIndex(JAVA_FLOAT, position));
                position++;
            }
        }
    }

    private static long first(MemorySegment x, long from, int width, int top, int bottom, int left, int right,
            float largest) {
        for (int row = top; row < bottom; row++) {
            long line = from + (long) row * width;
            for (int column = left; column < right; column++) {
                float value = x.getAtIndex(JAVA_FLOAT, line + column);
                if (value == largest || Float.isNaN(value)) {
                    return line + column;
                }
            }
        }
        throw new IllegalArgumentException(
                "y=" + largest + " is not among what the window shows of x; it is no output of"
                        + " a pool over x");
    }
}
