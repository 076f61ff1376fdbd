package dev.verbena.transfer.spi;

/**
 * How a work request ended; the names and meanings of {@code ibv_wc_status} ({@code ibv_poll_cq(3)}).
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum CompletionStatus {
    /** Done as asked: what a read or a receive brings is there, and the memory that the request names may be used again. */
    SUCCESS,
    /** A receive was too small for what was sent to it, or a request exceeds the message limit. */
    LOCAL_LENGTH_ERROR,
    /** A scatter/gather element lies outside its region or lacks the right. */
    LOCAL_PROTECTION_ERROR,
    /** An earlier request failed, or the queue pair was moved to ERROR; nothing was done. */
    WORK_REQUEST_FLUSHED,
    /** The peer refused the request: its receive is too small, or an atomic is not 8-byte aligned. */
    REMOTE_INVALID_REQUEST,
    /** The remote address is outside the region, the rkey is unknown, or the region lacks the right. */
    REMOTE_ACCESS_ERROR,
    /** The peer is gone or does not answer. */
    RETRY_EXCEEDED,
    /** The peer had no receive posted for as long as the queue pair waits for one. */
    RECEIVER_NOT_READY
}
