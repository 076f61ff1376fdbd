package dev.verbena.training.data;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

import dev.verbena.memory.Tensor;

/**
 * Images with their labels, kept as the bytes they came in and turned into numbers when a mini-batch is gathered: a quarter of
 * the memory, and the tensors live in an arena, not on the heap.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable, as far as the source is.
 *
 * @param source of the pixels, asked whenever they are wanted: image after image, {@code featureCount} bytes each, 0 to 255
 * @param labels of each image, unsigned
 * @param members indices of the images that are in this set; sets of one split share the bytes
 */
public record ImageSet(Supplier<byte[]> source, byte[] labels, int featureCount, int[] members) {
    /** A pixel's value in [0, 1]: a table, for a division per pixel costs more than all else here. */
    private static final float[] UNIT = new float[256];

    static {
        for (int i = 0; i < UNIT.length; i++) {
            UNIT[i] = i / 255f;
        }
    }

    /** Of pixels that are there. */
    public ImageSet(byte[] pixels, byte[] labels, int featureCount, int[] members) {
        this(() -> pixels, labels, featureCount, members);
    }

    public byte[] pixels() {
        return source.get();
    }

    public int count() {
        return members.length;
    }

    public int label(int index) {
        return labels[members[index]] & 0xFF;
    }

    /** Fills the rows of a mini-batch with the images {@code order[from]}, {@code order[from + 1]}, ... of this set. */
    public void gather(int[] order, int from, Tensor imageRows, Tensor labelRows) {
        byte[] pixels = pixels();
        MemorySegment images = imageRows.memory();
        MemorySegment classes = labelRows.memory();
        int rows = Math.toIntExact(labelRows.shape().elementCount());
        for (int row = 0; row < rows; row++) {
            int index = order[from + row];
            classes.setAtIndex(JAVA_INT, row, label(index));
            int source = members[index] * featureCount;
            long target = (long) row * featureCount;
            for (int feature = 0; feature < featureCount; feature++) {
                images.setAtIndex(JAVA_FLOAT, target + feature, UNIT[pixels[source + feature] & 0xFF]);
            }
        }
    }
}
