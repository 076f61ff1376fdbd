package dev.verbena.graph.onnx.operator;

import java.util.Arrays;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.onnx.ShapeContext;

/**
 * How a window moves over an image: each array has a number for each dimension, pads first all before, then all behind.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record Window(ShapeContext node, long[] strides, long[] dilations, long[] pads, boolean isSame, long[] outputPads) {
    /** By the attributes of convolutions and pools. */
    static Window of(ShapeContext node, int count) {
        String padding = node.text("auto_pad", "NOTSET");
        boolean isSame = padding.equals("SAME_UPPER") || padding.equals("SAME_LOWER");
        long[] pads = padding.equals("NOTSET") || padding.isEmpty() ? numbers(node, "pads", 2 * count, 0)
                : new long[2 * count];
        return new Window(node, positive(node, "strides", count), positive(node, "dilations", count), pads, isSame,
                numbers(node, "output_padding", count, 0));
    }

    private static long[] positive(ShapeContext node, String attribute, int count) {
        long[] numbers = numbers(node, attribute, count, 1);
        if (Arrays.stream(numbers).anyMatch(each -> each <= 0)) {
            throw node.conflict(attribute + "=" + Arrays.toString(numbers));
        }
        return numbers;
    }

    private static long[] numbers(ShapeContext node, String attribute, int count, long otherwise) {
        long[] numbers = node.integers(attribute).orElseGet(() -> {
            long[] same = new long[count];
            Arrays.fill(same, otherwise);
            return same;
        });
        if (numbers.length != count) {
            throw node.conflict(attribute + "=" + Arrays.toString(numbers) + " has " + numbers.length
                    + " numbers, and " + count + " belong there");
        }
        return numbers;
    }

    private Dimension extent(int index, Dimension kernel) {
        return kernel.plus(-1).times(Dimension.of(dilations[index])).plus(1);
    }

    private Dimension pads(int index) {
        return Dimension.of(Math.addExact(pads[index], pads[index + strides.length]));
    }

    /** Positions of the window. */
    Dimension size(int index, Dimension image, Dimension kernel, boolean isCeiling) {
        Dimension stride = Dimension.of(strides[index]);
        if (isSame) {
            return image.dividedUpBy(stride);
        }
        Dimension room = image.plus(pads(index)).minus(extent(index, kernel));
        if (room.isNegative()) {
            throw node.conflict("a window of " + extent(index, kernel) + " does not fit into " + image + " and pads of "
                    + pads(index));
        }
        if (!isCeiling) {
            return room.dividedBy(stride).plus(1);
        }
        Dimension size = room.dividedUpBy(stride).plus(1);
        // The last window must begin within the image or the pads before it.
        return size.min(image.plus(pads[index]).plus(-1).dividedBy(stride).plus(1));
    }

    /** What a convolution would have made this size of. */
    Dimension sizeTransposed(int index, Dimension image, Dimension kernel) {
        Dimension stride = Dimension.of(strides[index]);
        if (isSame) {
            return image.times(stride);
        }
        return stride.times(image.plus(-1)).plus(outputPads[index]).plus(extent(index, kernel)).minus(pads(index));
    }
}
