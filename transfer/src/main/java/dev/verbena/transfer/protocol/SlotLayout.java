package dev.verbena.transfer.protocol;

import dev.verbena.transfer.Striping;

/**
 * Where things lie in the receiving buffer of a statically placed tensor (EuroSys'19 §3.2, Figure 5).
 *
 * <pre>
 *  0                    byteSize     tail           tail + 8              tail + 64
 * +--------------------+------------+--------------+---------------------+------------+----------------+
 * | payload            | 0 to 7 pad | sequence (8) | of stripes 1 to 7   | to 64      | next slot ...  |
 * +--------------------+------------+--------------+---------------------+------------+----------------+
 * </pre>
 *
 * The sender writes payload, pad and sequence as one request. The sequence of the n-th tensor, from 0, is {@code n + 1}; it
 * goes to slot {@code n % depth}. Of a tensor in stripes, stripe 0 is the end of the payload, with the word behind it; the others, in their order,
 * lie in front of that, and each has a word of its own, with the same sequence, which is written behind it. Behind the last slot lies one line for
 * the word from which acknowledgements are written.
 *
 * @param byteSize payload bytes
 * @param depth slots, 1 to 4096
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record SlotLayout(long byteSize, int depth) {
    static final long WORD = Long.BYTES;
    static final long LINE = 64;
    /** A sender prepares a request for each slot, on the word of the receiver. */
    public static final int DEPTH_MAX = 4096;

    public SlotLayout {
        if (depth < 1 || depth > DEPTH_MAX) {
            throw new IllegalArgumentException("depth=" + depth + " slots; give 1 to " + DEPTH_MAX);
        }
    }

    /** Offset of the sequence word in its slot. */
    long tailOffset() {
        return roundUp(byteSize, WORD);
    }

    /** Offset of a stripe's sequence word in its slot. */
    long tailOffset(int stripe) {
        return tailOffset() + stripe * WORD;
    }

    /** Bytes of pad and sequence word. */
    long tailByteSize() {
        return tailOffset() + WORD - byteSize;
    }

    long stride() {
        return roundUp(tailOffset(Striping.QUEUE_PAIRS_MAX), LINE);
    }

    /** Where among the slots a tensor goes. */
    int slot(long sequence) {
        return placeInRing(sequence, depth);
    }

    /** Where in a ring of so many; what a power of two spares is a division. */
    public static int placeInRing(long sequence, int count) {
        return (int) ((count & count - 1) == 0 ? sequence & count - 1 : sequence % count);
    }

    long slotOffset(long sequence) {
        return slot(sequence) * stride();
    }

    /** Offset of the word from which acknowledgements are written. */
    long acknowledgementOffset() {
        return depth * stride();
    }

    /** Bytes of the whole buffer. */
    public long totalByteSize() {
        return acknowledgementOffset() + LINE;
    }

    private static long roundUp(long value, long unit) {
        return (value + unit - 1) / unit * unit;
    }
}
