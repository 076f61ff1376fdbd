package dev.verbena.transfer.spi;

import dev.verbena.transfer.TransferException;

/**
 * Hears what becomes of one call of {@link Fabric#connect(dev.verbena.transfer.Endpoint, java.util.List, long, ConnectHandler)}: one of
 * these, once.
 *
 * <p><b>Owner:</b> who connects. <b>Threading:</b> called on the fabric's control thread; must not block.
 */
public interface ConnectHandler {
    /** It is ready on this side, and belongs to who connected. */
    void onConnected(Connection connection);

    /** It came to nothing; the message says where to and why. */
    void onFailed(TransferException cause);
}
