package dev.verbena.transfer.spi;

import java.util.List;

/**
 * Decides on incoming connections and hears of lost ones.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> called on the fabric's control thread; must not block.
 */
public interface ConnectionHandler {
    /** How to make the queue pairs of a connection that {@code peerName} asks for with {@code queuePairCount} of them. */
    List<QueuePairOptions> onRequest(String peerName, int queuePairCount);

    /** An accepted connection is ready on both sides. */
    void onAccepted(Connection connection);

    /**
     * A connection, made or accepted here, ended without this side closing it. Its queue pairs are in ERROR.
     *
     * @param orderly whether the peer closed it on purpose
     */
    void onLost(Connection connection, boolean orderly, String cause);
}
