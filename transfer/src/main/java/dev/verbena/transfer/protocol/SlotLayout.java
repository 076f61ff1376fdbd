package dev.verbena.transfer.protocol;

/**
 * Where things lie in the receiving buffer of a statically placed tensor (EuroSys'19 §3.2, Figure 5).
 *
 * <pre>
 *  0                    byteSize     tail           stride
 * +--------------------+------------+--------------+------------+----------------+
 * | payload            | 0 to 7 pad | sequence (8) | to 64      | next slot ...  |
 * +--------------------+------------+--------------+------------+----------------+
 * </pre>
 *
 * The sender writes payload, pad and sequence as one request. The sequence of the n-th tensor, from 0, is {@code n + 1}; it
 * goes to slot {@code n % depth}. Behind the last slot lies one line for the word from which acknowledgements are written.
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

    /** Bytes of pad and sequence word. */
    long tailByteSize() {
        return tailOffset() + WORD - byteSize;
    }

    long stride() {
        return roundUp(tailOffset() + WORD, LINE);
    }

    long slotOffset(long sequence) {
        return (sequence % depth) * stride();
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
