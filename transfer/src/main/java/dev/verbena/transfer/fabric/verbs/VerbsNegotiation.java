package dev.verbena.transfer.fabric.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import dev.verbena.transfer.fabric.control.ControlSocket;
import dev.verbena.transfer.fabric.control.Negotiation;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.verbs.VerbsException;

/** A connection in the making: its queue pairs, in state INIT, which the connection takes over. */
final class VerbsNegotiation implements Negotiation {
    private final VerbsFabric fabric;
    private final List<VerbsQueuePair> queuePairs = new ArrayList<>();
    private final int[] packetSequences;
    private boolean isTaken;

    VerbsNegotiation(VerbsFabric fabric, List<QueuePairOptions> options) {
        this.fabric = fabric;
        packetSequences = fabric.packetSequences(options.size());
        try {
            for (int i = 0; i < options.size(); i++) {
                queuePairs.add(new VerbsQueuePair(fabric, i, options.get(i)));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public ByteBuffer hello() {
        return fabric.hello(queuePairs.stream().mapToInt(VerbsQueuePair::number).toArray(), packetSequences).encode();
    }

    @Override
    public VerbsConnection meet(ControlSocket socket, ByteBuffer peerHello) throws ProtocolException, IOException {
        VerbsHello peer = VerbsHello.decode(peerHello);
        try {
            for (int i = 0; i < queuePairs.size(); i++) {
                queuePairs.get(i).connect(peer, peer.numbers()[i], peer.packetSequences()[i], packetSequences[i]);
            }
        } catch (VerbsException e) {
            throw new ProtocolException("queue pairs cannot be connected: " + e.getMessage(), e);
        }
        VerbsConnection connection = new VerbsConnection(fabric, socket, List.copyOf(queuePairs), peer);
        isTaken = true;
        return connection;
    }

    @Override
    public void close() {
        if (!isTaken) {
            queuePairs.forEach(VerbsQueuePair::destroy);
        }
    }
}
