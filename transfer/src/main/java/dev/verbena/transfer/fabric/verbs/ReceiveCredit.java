package dev.verbena.transfer.fabric.verbs;

/**
 * How many more messages a queue pair may send: as many as the peer has posted receives for. The peer says how many it has posted
 * in a word of its memory, which this side reads.
 *
 * <pre>
 *   63             32 31            0
 *  +-----------------+---------------+
 *  | ~count          | count         |   one that is read while it is written is told by its halves
 *  +-----------------+---------------+
 * </pre>
 *
 * <p>Always: {@code used <= granted}, and neither goes back.
 *
 * <p>Threading: confined to the queue pair's poller.
 */
final class ReceiveCredit {
    private long granted;
    private long used;

    /** What is said of so many receives posted since the beginning. */
    static long word(long count) {
        return count & 0xffff_ffffL | ~count << 32;
    }

    /** Takes note of a word of the peer's; of one that is old or torn, or that the peer has not said yet, it takes none. */
    void hear(long word) {
        int count = (int) word;
        if (count == ~(int) (word >>> 32)) {
            granted += Math.max(0, count - (int) granted);
        }
    }

    boolean isAvailable() {
        return used < granted;
    }

    /** @return which message it is, counted from 0 */
    long use() {
        if (!isAvailable()) {
            throw new IllegalStateException("messages=" + used + ": the peer has posted no more receives");
        }
        return used++;
    }
}
