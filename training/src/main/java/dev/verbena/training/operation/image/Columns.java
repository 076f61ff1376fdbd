package dev.verbena.training.operation.image;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;

import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/**
 * What a window shows of one image, as a matrix, which makes a convolution a product of matrices: a column for each position of the window,
 * a line for each channel and each place in the window.
 *
 * <pre>
 *                      output row 0     output row 1  ...
 *                     0 1 2 ... columns  0 1 2 ...
 * channel 0, (0, 0)   [ pixels of the image, or 0 in the padding ]
 * channel 0, (0, 1)   [                                          ]
 * ...                                                              depth lines
 * </pre>
 *
 * <p>It repeats each pixel up to height x width times, 116 MB for the second layer of VGG-16, so it is made in blocks of output rows.
 * A block fits in the processor's cache and is multiplied while it is there.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable; the memory that it reads and writes is the caller's.
 *
 * @param channels of an image
 * @param height of an image, in pixels
 * @param width of an image, in pixels
 * @param rows positions of the window, downwards
 * @param columns positions of the window, to the right
 */
record Columns(Window window, int channels, int height, int width, int rows, int columns) {
    /** Most bytes of a block of more than one row. */
    private static final long BLOCK_BYTES = 2 << 20;

    /** @param images [batch, channels, height, width] @param positions [batch, any, rows, columns] */
    static Columns of(Window window, Shape images, Shape positions) {
        return new Columns(window, Math.toIntExact(images.dimension(1)), Math.toIntExact(images.dimension(2)),
                Math.toIntExact(images.dimension(3)), Math.toIntExact(positions.dimension(2)),
                Math.toIntExact(positions.dimension(3)));
    }

    /** Lines of the matrix. */
    long depth() {
        return (long) channels * window.height() * window.width();
    }

    /** Columns of the matrix. */
    long positions() {
        return (long) rows * columns;
    }

    long imageSize() {
        return (long) channels * height * width;
    }

    /** Whether the image as it lies is the matrix. */
    boolean isImage() {
        return window.isPixel();
    }

    /** Output rows of each block but the last. */
    int blockRows() {
        long rowBytes = Math.max(1, depth() * columns * Float.BYTES);
        return (int) Math.max(1, Math.min(rows, BLOCK_BYTES / rowBytes));
    }

    Tensor allocateBlock(KernelContext context) {
        return context.allocateTemporary(ElementType.FLOAT32, Shape.of(depth(), (long) blockRows() * columns));
    }

    /** Fills a block, that of so many output rows from the first on. */
    void gather(MemorySegment image, MemorySegment block, int firstRow, int rowCount) {
        long to = 0;
        for (int channel = 0; channel < channels; channel++) {
            for (int y = 0; y < window.height(); y++) {
                for (int x = 0; x < window.width(); x++) {
                    gatherLine(image, (long) channel * height * width, y, x, block, to, firstRow, rowCount);
                    to += (long) rowCount * columns;
                }
            }
        }
    }

    private void gatherLine(MemorySegment image, long plane, int y, int x, MemorySegment block, long to, int firstRow,
            int rowCount) {
        int first = firstInside(x);
        int end = endInside(x, first);
        int stride = window.strideX();
        for (int row = 0; row < rowCount; row++) {
            int imageRow = (firstRow + row) * window.strideY() - window.top() + y;
            long rowTo = to + (long) row * columns;
            if (imageRow < 0 || imageRow >= height || first == end) {
                clear(block, rowTo, columns);
                continue;
            }
            long from = plane + (long) imageRow * width + (long) first * stride - window.left() + x;
            clear(block, rowTo, first);
            if (stride == 1) {
                MemorySegment.copy(image, from * Float.BYTES, block, (rowTo + first) * Float.BYTES,
                        (long) (end - first) * Float.BYTES);
            } else {
                gatherStrided(image, from, stride, block, rowTo + first, end - first);
            }
            clear(block, rowTo + end, columns - end);
        }
    }

    private static void gatherStrided(MemorySegment image, long from, int stride, MemorySegment block, long to,
            int count) {
        for (int i = 0; i < count; i++) {
            block.setAtIndex(JAVA_FLOAT, to + i, image.getAtIndex(JAVA_FLOAT, from + (long) i * stride));
        }
    }

    private static void clear(MemorySegment block, long from, int count) {
        for (int i = 0; i < count; i++) {
            block.setAtIndex(JAVA_FLOAT, from + i, 0);
        }
    }

    /** The way back: adds each element of a block to the pixel that it came from. */
    void scatter(MemorySegment block, MemorySegment image, int firstRow, int rowCount) {
        long from = 0;
        for (int channel = 0; channel < channels; channel++) {
            for (int y = 0; y < window.height(); y++) {
                for (int x = 0; x < window.width(); x++) {
                    scatterLine(block, from, image, (long) channel * height * width, y, x, firstRow, rowCount);
                    from += (long) rowCount * columns;
                }
            }
        }
    }

    private void scatterLine(MemorySegment block, long from, MemorySegment image, long plane, int y, int x,
            int firstRow, int rowCount) {
        int first = firstInside(x);
        int end = endInside(x, first);
        int stride = window.strideX();
        for (int row = 0; row < rowCount; row++) {
            int imageRow = (firstRow + row) * window.strideY() - window.top() + y;
            if (imageRow < 0 || imageRow >= height) {
                continue;
            }
            long rowFrom = from + (long) row * columns + first;
            long to = plane + (long) imageRow * width + (long) first * stride - window.left() + x;
            if (stride == 1) {
                addRow(block, rowFrom, image, to, end - first);
            } else {
                addStrided(block, rowFrom, image, to, stride, end - first);
            }
        }
    }

    private static void addRow(MemorySegment block, long from, MemorySegment image, long to, int count) {
        for (int i = 0; i < count; i++) {
            image.setAtIndex(JAVA_FLOAT, to + i,
                    image.getAtIndex(JAVA_FLOAT, to + i) + block.getAtIndex(JAVA_FLOAT, from + i));
        }
    }

    private static void addStrided(MemorySegment block, long from, MemorySegment image, long to, int stride,
            int count) {
        for (int i = 0; i < count; i++) {
            long at = to + (long) i * stride;
            image.setAtIndex(JAVA_FLOAT, at,
                    image.getAtIndex(JAVA_FLOAT, at) + block.getAtIndex(JAVA_FLOAT, from + i));
        }
    }

    /** The first position at which that column of the window lies in the image and not in the padding. */
    private int firstInside(int x) {
        return Math.min(columns, Math.ceilDiv(Math.max(0, window.left() - x), window.strideX()));
    }

    /** Behind the last. */
    private int endInside(int x, int first) {
        return Math.clamp(Math.floorDiv(width - 1 + window.left() - x, window.strideX()) + 1L, first, columns);
    }
}
