package dev.verbena.transfer.fabric.shm;

/** What became of a receive; the ordinal travels in shared memory. */
enum Arrival {
    /** A SEND lies in it. */
    SEND,
    /** A WRITE_WITH_IMMEDIATE took it; the bytes are in the written region. */
    WRITE_WITH_IMMEDIATE,
    /** It was too small for the SEND. */
    TOO_SMALL,
    /** Its element is outside its region, lacks LOCAL_WRITE or was deregistered. */
    UNUSABLE,
    /** The sender failed half-way. */
    ABANDONED,
    /** The peer wrote what cannot be. */
    MALFORMED;

    private static final Arrival[] VALUES = values();

    /** {@link #MALFORMED} if the peer means none of them. */
    static Arrival of(int ordinal) {
        return ordinal >= 0 && ordinal < VALUES.length ? VALUES[ordinal] : MALFORMED;
    }

    /** What to believe of it: a message has no more bytes than its receive. */
    Arrival checked(long arrivedByteSize, long postedByteSize) {
        boolean isPossible = arrivedByteSize >= 0 && (this != SEND || arrivedByteSize <= postedByteSize);
        return isPossible ? this : MALFORMED;
    }
}
