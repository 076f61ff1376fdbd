package dev.verbena.transfer;

/**
 * Over how many of a peer's queue pairs one large tensor goes at the same time, in stripes. Queue pairs are spread over the device's
 * completion queues (EuroSys'19 §3.1), and so are the threads that move a tensor, where processors do that.
 *
 * <p>Who posts the requests decides: the sender with static placement, the receiver where it reads, with dynamic allocation and by exchange.
 *
 * @param queuePairs at most, up to {@link #QUEUE_PAIRS_MAX}; {@link #AUTO} for as many as the device has completion queues. A connection may
 *            have fewer
 * @param stripeByteSizeMin a tensor that has not two of them is not striped; at least {@link #STRIPE_BYTE_SIZE_LEAST}
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Striping(int queuePairs, long stripeByteSizeMin) {
    /** Instead of a number: as many as the device has completion queues. */
    public static final int AUTO = 0;
    /** A slot has one line for the words that tell of stripes. */
    public static final int QUEUE_PAIRS_MAX = 8;
    /** A line: no two stripes share one. */
    public static final long STRIPE_BYTE_SIZE_LEAST = 64;
    /** What takes tens of microseconds: ten times a request more, and about what it takes to wake another thread. */
    private static final long STRIPE_BYTE_SIZE_MIN = 256 * 1024;

    /** Throws {@link IllegalArgumentException} unless queuePairs is 0 to 8, 0 being {@link #AUTO}, and stripeByteSizeMin 64 or more. */
    public Striping {
        if (queuePairs < 0 || queuePairs > QUEUE_PAIRS_MAX) {
            throw new IllegalArgumentException("queuePairs=" + queuePairs + " for one tensor; give 1 to "
                    + QUEUE_PAIRS_MAX + ", or 0 for as many as there are completion queues");
        }
        if (stripeByteSizeMin < STRIPE_BYTE_SIZE_LEAST) {
            throw new IllegalArgumentException("stripeByteSizeMin=" + stripeByteSizeMin + "; give at least "
                    + STRIPE_BYTE_SIZE_LEAST);
        }
    }

    /** {@link #AUTO}, in stripes of at least 256 KiB. */
    public static Striping defaults() {
        return over(AUTO);
    }

    /** Each tensor over one queue pair, that of its channel. */
    public static Striping none() {
        return over(1);
    }

    /** Over so many at most, in stripes of at least 256 KiB. */
    public static Striping over(int queuePairs) {
        return new Striping(queuePairs, STRIPE_BYTE_SIZE_MIN);
    }

    /** Bytes that a stripe has at least, 64 or more; 256 KiB unless set. Smaller tensors than two of them are not striped. */
    public Striping withStripeByteSizeMin(long stripeByteSizeMin) {
        return new Striping(queuePairs, stripeByteSizeMin);
    }

    /** What it comes to on a device with so many completion queues. */
    Striping on(int completionQueues) {
        return queuePairs == AUTO
                ? new Striping(Math.min(completionQueues, QUEUE_PAIRS_MAX), stripeByteSizeMin)
                : this;
    }

    /** Stripes of a tensor, over a connection that has so many queue pairs. */
    public int stripeCount(long byteSize, int queuePairCount) {
        return Math.clamp(byteSize / stripeByteSizeMin, 1, Math.min(queuePairs, queuePairCount));
    }

    /** Where a stripe begins, where the one before it ends: all but the last are whole lines of 64 bytes. */
    public static long begin(int stripe, int stripeCount, long byteSize) {
        if (stripe == 0 || stripe == stripeCount) {
            return stripe == 0 ? 0 : byteSize;
        }
        return byteSize * stripe / stripeCount & -STRIPE_BYTE_SIZE_LEAST;
    }
}
