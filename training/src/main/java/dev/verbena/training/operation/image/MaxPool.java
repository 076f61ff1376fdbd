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
 * The largest of what a window shows of each channel: input (x [batch, channels, height, width]), output [batch, channels, rows, columns].
 * Padding never is the largest; where something is no number, the largest is none.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record MaxPool(Window window) implements Operation, Kernel.Synchronous {
    @Override
    public String name() {
        return "MaxPool";
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
        float[] line = new float[views.width()];
        for (long plane = 0; plane < views.planes(); plane++) {
            pool(views, context.input(0).memory(), plane * views.imageSize(), line, y, plane * views.positions());
        }
    }

    /** First down, the largest of each column of the image, eight at a time in one instruction; then across, of a few of those. */
    private static void pool(Views views, MemorySegment x, long from, float[] line, MemorySegment y, long to) {
        for (int row = 0; row < views.rows(); row++) {
            int top = views.top(row);
            MemorySegment.copy(x, JAVA_FLOAT, (from + (long) top * line.length) * Float.BYTES, line, 0, line.length);
            for (int below = top + 1; below < views.bottom(row); below++) {
                larger(x, from + (long) below * line.length, line);
            }
            across(views, line, y, to + (long) row * views.columns());
        }
    }

    private static void larger(MemorySegment x, long from, float[] line) {
        for (int i = 0; i < line.length; i++) {
            line[i] = Math.max(line[i], x.getAtIndex(JAVA_FLOAT, from + i));
        }
    }

    private static void across(Views views, float[] line, MemorySegment y, long to) {
        for (int column = 0; column < views.columns(); column++) {
            int right = views.right(column);
            int left = views.left(column);
            float largest = line[left];
            for (int i = left + 1; i < right; i++) {
                largest = Math.max(largest, line[i]);
            }
            y.setAtIndex(JAVA_FLOAT, to + column, largest);
        }
    }
}
