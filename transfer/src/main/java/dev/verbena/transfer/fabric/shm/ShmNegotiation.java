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
    private Door.Knock knock;
    private boolean isTaken;

    ShmNegotiation(ShmFabric fabric, List<QueuePairOptions> options) {
        this.fabric = fabric;
        this.options = options;
        linkFile = fabric.createLinkFile(options);
    }

    @Override
    public void approach(ControlSocket socket) throws ProtocolException, IOException {
        knock = fabric.knock(socket.remoteAddress());
    }

    /** Who finds no door says so: the other knows whether they are on one machine at all. */
    @Override
    public ByteBuffer hello() {
        return fabric.hello(knock == null ? Door.NO_NUMBER : knock.number(), linkFile.identity(), options).encode();
    }

    @Override
    public ShmConnection meet(ControlSocket socket, ByteBuffer peerHello) throws ProtocolException, IOException {
        Hello hello = Hello.decode(peerHello);
        return meet(socket, hello, fabric.answer(hello.knock()));
    }

    @Override
    public ShmConnection connect(ControlSocket socket, ByteBuffer peerHello) throws ProtocolException, IOException {
        if (knock == null) {
            throw new ProtocolException("it welcomes who could not hand its files over");
        }
        return meet(socket, Hello.decode(peerHello), knock.enter());
    }

    private ShmConnection meet(ControlSocket socket, Hello peer, PeerFiles files)
            throws ProtocolException, IOException {
        try {
            ShmConnection connection = new ShmConnection(fabric, socket, linkFile, options, peer, files);
            isTaken = true;
            return connection;
        } catch (PeerFileException e) {
            throw new ProtocolException(e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        if (knock != null) {
            knock.close();
        }
        if (!isTaken) {
            linkFile.close();
        }
    }
}
