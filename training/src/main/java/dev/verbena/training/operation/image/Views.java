package dev.verbena.training.operation.image;

import dev.verbena.memory.Shape;

/**
 * Which part of an image a window shows at each of its positions, without the padding; never nothing.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param planes all channels of all images, pooled one by one
 * @param height of an image, in pixels
 * @param width of an image, in pixels
 * @param rows positions of the window, downwards
 * @param columns positions of the window, to the right
 */
record Views(Window window, long planes, int height, int width, int rows, int columns) {
    /** @param images [batch, channels, height, width] @param positions [batch, channels, rows, columns] */
    static Views of(Window window, Shape images, Shape positions) {
        return new Views(window, images.dimension(0) * images.dimension(1), Math.toIntExact(images.dimension(2)),
                Math.toIntExact(images.dimension(3)), Math.toIntExact(positions.dimension(2)),
                Math.toIntExact(positions.dimension(3)));
    }

    long imageSize() {
        return (long) height * width;
    }

    long positions() {
        return (long) rows * columns;
    }

    int top(int row) {
        return Math.max(0, row * window.strideY() - window.top());
    }

    /** Below the last row that it shows. */
    int bottom(int row) {
        return Math.min(height, row * window.strideY() - window.top() + window.height());
    }

    int left(int column) {
        return Math.max(0, column * window.strideX() - window.left());
    }

    /** To the right of the last column that it shows. */
    int right(int column) {
        return Math.min(width, column * window.strideX() - window.left() + window.width());
    }
}
