package dev.verbena.testing.sim;

import java.util.Locale;

/**
 * What a {@link FaultPlan} sets: a number each, and its value where nothing is said. "One in" 0 means never.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum Fault {
    /** The least that a step of a request or a message takes, in nanoseconds. */
    DELAY_NS_MIN(1_000, 0, Fault.LONG_NS),
    /** The most that it takes unless it is late. */
    DELAY_NS_MAX(1_000, 0, Fault.LONG_NS),
    /** One in so many steps is late. */
    LATE_ONE_IN(0, 2, Fault.MANY),
    /** How much longer a late step takes. */
    LATE_NS(1_000_000, 0, Fault.LONG_NS),
    /** A message lands in up to so many pieces, each at its own time, in any order as far as the fabric does not promise one. */
    PIECE_COUNT_MAX(1, 1, 64),
    /** 1: the fabric does not promise that the last word of a write lands last; 2: every second queue pair of a connection does. */
    RELAXED_ORDER(0, 0, 2),
    /** 1: the fabric cannot tell that it was written to. */
    SILENT_WRITES(0, 0, 1),
    /** 1: what of a message is under way when its queue pair fails or closes still lands, until the peer's end has heard of it. */
    STRAGGLING_PIECES(0, 0, 1),
    /** 1: the peer's processor writes, and goes on with what has begun to land after the target has closed, until the peer closes too. */
    WRITES_OUTLIVE_TARGET(0, 0, 1),
    /** 1: the fabric has no atomics. */
    NO_ATOMICS(0, 0, 1),
    /** 1: the fabric does not map memory of peers. */
    NO_PEER_MEMORY(0, 0, 1),
    /** One in so many accesses at once cannot be had, and what was to be put perhaps lies there in part; 1 for none that can. */
    REFUSED_AT_ONCE_ONE_IN(0, 1, Fault.MANY),
    /** The most gather elements of a request. */
    ELEMENT_COUNT_MAX(16, 1, 16),
    /** The most scatter elements of a read, as far as a request may have so many. */
    READ_ELEMENT_COUNT_MAX(16, 1, 16),
    /** The most bytes of a message. */
    MESSAGE_BYTE_SIZE_MAX(1 << 30, 64, 1 << 30),
    /** One in so many polls finds nothing, whatever there is. */
    EMPTY_POLL_ONE_IN(0, 2, Fault.MANY),
    /** A poll delivers no more than so many; 0 for as many as are asked for. */
    POLL_COUNT_MAX(0, 1, Fault.MANY),
    /** One in so many messages misses the receive that is posted, and tries again if it may. */
    MISSED_RECEIVE_ONE_IN(0, 2, Fault.MANY),
    /** One in so many posts takes fewer of its list than there is room for. */
    PARTIAL_POST_ONE_IN(0, 2, Fault.MANY),
    /** A completion queue that has more than so many to deliver overruns, and all its queue pairs fail; 0 for never. */
    COMPLETION_COUNT_MAX(0, 1, Fault.MANY),
    /** One in so many registrations finds no memory. */
    FAILED_REGISTRATION_ONE_IN(0, 2, Fault.MANY),
    /** A process that stands still for so many nanoseconds is given up by its peers; 0 for never. */
    PEER_TIMEOUT_NS(0, 1, Fault.LONG_NS);

    private static final long LONG_NS = 1_000_000_000_000L;
    private static final long MANY = 1_000_000;

    private final long initial;
    private final long min;
    private final long max;

    Fault(long initial, long min, long max) {
        this.initial = initial;
        this.min = min;
        this.max = max;
    }

    /** Where a plan says nothing. */
    public long initial() {
        return initial;
    }

    /** As plans write it, such as {@code late-one-in}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws IllegalArgumentException if there is none of this name */
    static Fault of(String text) {
        for (Fault fault : values()) {
            if (fault.text().equals(text)) {
                return fault;
            }
        }
        throw new IllegalArgumentException("there is no fault '" + text + "'; Fault has the names");
    }

    void check(long value) {
        if (value != initial && (value < min || value > max)) {
            throw new IllegalArgumentException(text() + "=" + value + " is neither " + initial + " nor in " + min + ".."
                    + max);
        }
    }
}
