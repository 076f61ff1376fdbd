package dev.verbena.transfer.fabric.control;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One side of a connection in the making: holds what was prepared for it until the peer is met.
 *
 * <p><b>Owner:</b> the handshake, which closes it. <b>Threading:</b> confined to the handshake's thread.
 */
public interface Negotiation extends AutoCloseable {
    /**
     * Of the side that connects, before it says hello: the socket is connected.
     *
     * @throws ProtocolException if the two cannot meet
     */
    default void approach(ControlSocket socket) throws ProtocolException, IOException {}

    /** What the peer must know. */
    ByteBuffer hello();

    /**
     * Makes the connection, which takes over the socket and what was prepared; must not block.
     *
     * @throws ProtocolException if it cannot be made; the message, which the peer will hear, says why
     */
    ControlledConnection meet(ControlSocket socket, ByteBuffer peerHello) throws ProtocolException, IOException;

    /** The same for the side that connects; when it has reached the peer, the connection tells. */
    default ControlledConnection connect(ControlSocket socket, ByteBuffer peerHello)
            throws ProtocolException, IOException {
        return meet(socket, peerHello);
    }

    /** Releases what was prepared and no connection took over. */
    @Override
    void close();
}
