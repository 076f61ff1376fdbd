package dev.verbena.transfer;

/**
 * How {@link Group#allReduce} makes one element of those that the members have.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum Reduction {
    /** Their sum; of integers modulo 2^32 or 2^64. */
    SUM,
    /** Their sum divided by the number of members; of floats only. */
    MEAN
}
