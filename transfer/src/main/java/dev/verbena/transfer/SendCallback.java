package dev.verbena.transfer;

/**
 * Hears that a transfer has ended.
 *
 * <p><b>Owner:</b> the caller. <b>Threading:</b> called on whatever thread moves the transfer on: a poller's, another caller's, or the very
 * thread that offers, before its offer returns. Must not block; what it throws is logged and lost. It may offer the next tensor, and close.
 */
@FunctionalInterface
public interface SendCallback {
    /** @param failure null if all bytes are in place at the peer */
    void onComplete(TransferException failure);
}
