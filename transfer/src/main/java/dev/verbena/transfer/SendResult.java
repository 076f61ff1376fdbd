package dev.verbena.transfer;

/**
 * The expected outcomes of offering a tensor.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum SendResult {
    /** Taken; the tensor is pinned until its bytes have left. */
    SENT,
    /** Nothing happened: all slots of the receiver are taken or the queue is full. Offer it again later. */
    BACK_PRESSURED
}
