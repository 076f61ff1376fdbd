package dev.verbena.transfer;

/**
 * Hears that a transfer has ended.
 *
 * <p><b>Owner:</b> the caller. <b>Threading:</b> called on a poller's thread; must not block or throw.
 */
@FunctionalInterface
public interface SendCallback {
    /** @param failure null if all bytes are in place at the peer */
    void onComplete(TransferException failure);
}
