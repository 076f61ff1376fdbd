package dev.verbena.transfer.fabric.control;

import java.nio.ByteBuffer;
import java.util.List;

import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * A fabric whose connections are made, and whose peers' deaths are noticed, over control sockets.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe.
 */
public interface ControlledFabric {
    /** Who connects, and with how many queue pairs. */
    record Visitor(String name, int queuePairCount) {}

    boolean isOpen();

    /** @throws IllegalStateException if it is closed */
    void checkOpen();

    /** @throws ProtocolException if these two cannot be connected; the message says why */
    Visitor visitor(ByteBuffer hello) throws ProtocolException;

    /** Prepares this side of a connection; options have been checked by {@link #check}. */
    Negotiation negotiate(List<QueuePairOptions> options);

    /** @throws IllegalArgumentException if queue pairs cannot be made so */
    void check(List<QueuePairOptions> options);

    /** A new connection begins to work. @return false if the fabric is closed, and so the connection is too */
    boolean adopt(ControlledConnection connection);
}
