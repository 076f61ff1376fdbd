package dev.verbena.training.operation.image;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.Shape;
import dev.verbena.training.operation.Operands;

/**
 * How a window moves over images: its size, its steps, and how many rows and columns of padding stand around an image.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable. All in pixels. Less padding than window on each side, so that every position of the
 * window shows some of the image; a last step that would lead past the padding is not taken.
 */
public record Window(int height, int width, int strideY, int strideX, int top, int left, int bottom, int right) {
    public Window {
        if (height < 1 || width < 1 || strideY < 1 || strideX < 1) {
            throw new IllegalArgumentException("window of height=" + height + " width=" + width + " strideY=" + strideY
                    + " strideX=" + strideX + "; each is at least 1");
        }
        checkPads("top", top, "bottom", bottom, "height", height);
        checkPads("left", left, "right", right, "width", width);
    }

    private static void checkPads(String before, int first, String behind, int last, String extent, int size) {
        if (Math.min(first, last) < 0 || Math.max(first, last) >= size) {
            throw new IllegalArgumentException("padding " + before + "=" + first + " " + behind + "=" + last
                    + " of a window of " + extent + "=" + size + "; each is from 0 to " + (size - 1));
        }
    }

    /** In steps of one pixel, without padding. */
    public static Window of(int height, int width) {
        return new Window(height, width, 1, 1, 0, 0, 0, 0);
    }

    /** The same in other steps. */
    public Window strided(int strideY, int strideX) {
        return new Window(height, width, strideY, strideX, top, left, bottom, right);
    }

    /** The same with other padding. */
    public Window padded(int top, int left, int bottom, int right) {
        return new Window(height, width, strideY, strideX, top, left, bottom, right);
    }

    /** Whether it is a pixel at a time and each pixel once: what it shows of an image is the image. */
    boolean isPixel() {
        return height == 1 && width == 1 && strideY == 1 && strideX == 1;
    }

    /** Of its positions over images [batch, channels, height, width], with so many channels. */
    SymbolicShape over(SymbolicShape images, Dimension channels) {
        return SymbolicShape.of(images.dimension(0), channels,
                positions("height", images.dimension(2), height, top, bottom, strideY),
                positions("width", images.dimension(3), width, left, right, strideX));
    }

    /** The same in a run, where it is known. */
    Shape over(KernelContext context, Shape images, long channels) {
        try {
            return over(SymbolicShape.of(images), Dimension.of(channels)).toShape();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("node '" + context.nodeName() + "': " + e.getMessage(), e);
        }
    }

    /** A convolution's filters are as large as its window. @param weight [out, in, height, width] */
    void requireSizeOf(SymbolicShape weight) {
        Operands.sameDimension("height of weight" + weight, weight.dimension(2), "height of window",
                Dimension.of(height));
        Operands.sameDimension("width of weight" + weight, weight.dimension(3), "width of window",
                Dimension.of(width));
    }

    /** The run's check of what the shape function could not know. */
    void checkSizeOf(KernelContext context, Shape weight) {
        Operands.checkSame(context, "height of weight", weight.dimension(2), "height of window", height);
        Operands.checkSame(context, "width of weight", weight.dimension(3), "width of window", width);
    }

    private static Dimension positions(String name, Dimension image, int size, int before, int behind, int stride) {
        Dimension room = image.plus((long) before + behind - size);
        if (image.is(0) || room.isNegative()) {
            throw new IllegalArgumentException("image " + name + "=" + image + " with padding " + before + "+" + behind
                    + " has no room for a window of " + name + "=" + size);
        }
        return room.dividedBy(Dimension.of(stride)).plus(1);
    }

    @Override
    public String toString() {
        return height + "x" + width + " by " + strideY + "x" + strideX + " padded " + top + "," + left + "," + bottom
                + "," + right;
    }
}
