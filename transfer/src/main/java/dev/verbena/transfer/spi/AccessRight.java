package dev.verbena.transfer.spi;

/**
 * What may be done to a memory region; local reading is always allowed ({@code ibv_reg_mr(3)}).
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum AccessRight {
    /** The owner's queue pairs may write into it: as destination of a read, a receive or an atomic's result. */
    LOCAL_WRITE,
    /** Peers may write into it. */
    REMOTE_WRITE,
    /** Peers may read from it. */
    REMOTE_READ,
    /** Peers may do atomics on it. */
    REMOTE_ATOMIC
}
