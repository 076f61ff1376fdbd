package dev.verbena.verbs;

import dev.verbena.verbs.ffi.Range;

/**
 * How long a reliable queue pair waits, and how often it tries again, before it gives a request up.
 *
 * @param timeout how long an acknowledgement is waited for: 4.096 µs times two to this power, 1 to 31; 0 waits for ever
 * @param count how often a request that was not acknowledged is sent again; 0 to 7
 * @param receiverNotReadyTimer how long the peer shall wait before it sends again what found no receive here: a code
 *            of the specification's table 45, 12 for 0.64 ms; 0, the longest, for 655 ms
 * @param receiverNotReadyCount how often what found no receive at the peer is sent again; 0 to 6, 7 for ever
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: ibv_modify_qp(3); InfiniBand Architecture Specification volume 1, §9.7.5.2.8.
 */
public record Retries(int timeout, int count, int receiverNotReadyTimer, int receiverNotReadyCount) {
    private static final Retries DEFAULTS = new Retries(14, 7, 12, 7);

    /** Throws IllegalArgumentException for a timeout or timer above 31, a count above 7, and anything below 0. */
    public Retries {
        Range.check("timeout", timeout, 0, 31);
        Range.check("count", count, 0, 7);
        Range.check("receiverNotReadyTimer", receiverNotReadyTimer, 0, 31);
        Range.check("receiverNotReadyCount", receiverNotReadyCount, 0, 7);
    }

    /**
     * 67 ms and seven times, so that a peer that is gone is noticed within a second or a few, as devices count; and for
     * ever, every 0.64 ms, where the peer has posted no receive: shorter ones make storms.
     */
    public static Retries defaults() {
        return DEFAULTS;
    }

    /** Waits 4.096 µs times two to the timeout, 0 for ever, and sends again 0 to 7 times; by default 14, which is 67 ms, and 7. */
    public Retries withTimeout(int timeout, int count) {
        return new Retries(timeout, count, receiverNotReadyTimer, receiverNotReadyCount);
    }

    /** Makes the peer wait so long, as a code, and tries again itself 0 to 6 times, or 7 for ever; by default 12, 0.64 ms, and 7. */
    public Retries withReceiverNotReady(int timer, int count) {
        return new Retries(timeout, this.count, timer, count);
    }
}
