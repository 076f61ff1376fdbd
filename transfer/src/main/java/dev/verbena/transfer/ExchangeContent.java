package dev.verbena.transfer;

/**
 * What was sent under a name and a step.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum ExchangeContent {
    /** A tensor. */
    TENSOR,
    /** Bytes that mean something to the program alone. */
    BYTES,
    /** There is no value at this step, and there will be none: what depends on it is dead too (TensorFlow, control flow). */
    DEAD
}
