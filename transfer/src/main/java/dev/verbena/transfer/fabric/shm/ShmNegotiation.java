package dev.verbena.transfer.fabric.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

import dev.verbena.transfer.fabric.control.ControlSocket;
import dev.verbena.transfer.fabric.control.Negotiation;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.spi.QueuePairOptions;

/** A connection over shared memory in the making: its link file, which the connection takes over. */
final class ShmNegotiation implements Negotiation {
    private final ShmFabric fabric;
    private final List<QueuePairOptions> options;
    private final SharedFile linkFile;
    private boolean isTaken;

    ShmNegotiation(ShmFabric fabric, List<QueuePairOptions> options) {
        this.fabric = fabric;
        this.options = options;
        linkFile = fabric.createLinkFile(options);
    }

    @Override
    public ByteBuffer hello() {
        return fabric.hello(linkFile.identity(), options).encode();
    }

    @Override
    public ShmConnection meet(ControlSocket socket, ByteBuffer peerHello) throws ProtocolException, IOException {
        try {
            ShmConnection connection = new ShmConnection(fabric, socket, linkFile, options, Hello.decode(peerHello));
            isTaken = true;
            return connection;
        } catch (PeerFileException e) {
            throw new ProtocolException(e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        if (!isTaken) {
            linkFile.close();
        }
    }
}
