package dev.verbena.transfer.fabric.verbs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import dev.verbena.transfer.fabric.control.ControlSocket;
import dev.verbena.transfer.fabric.control.Negotiation;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.fabric.verbs.cm.CmLink;
import dev.verbena.transfer.fabric.verbs.cm.CmToken;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.verbs.VerbsException;

/**
 * A connection in the making: its queue pairs, in state INIT, which the connection takes over.
 *
 * <p>Directly, each side brings its queue pairs to the other's when it has heard of them. Through the connection manager, who accepts
 * says where and gives a token with its WELCOME; who connects shows it there, once for each queue pair.
 */
final class VerbsNegotiation implements Negotiation {
    private final VerbsFabric fabric;
    private final List<VerbsQueuePair> queuePairs = new ArrayList<>();
    private final List<CmLink> links = new ArrayList<>();
    private final CmToken token;
    private boolean isTaken;

    VerbsNegotiation(VerbsFabric fabric, List<QueuePairOptions> options) {
        this.fabric = fabric;
        token = fabric.token();
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
        return fabric.hello(token, queuePairs.stream().map(VerbsQueuePair::address).toList()).encode();
    }

    @Override
    public VerbsConnection meet(ControlSocket socket, ByteBuffer peerHello) throws ProtocolException, IOException {
        VerbsHello peer = decode(peerHello);
        try {
            if (fabric.traits().connectsByCm()) {
                makeLinks(peer);
                fabric.agent().expect(token, links);
            } else {
                connectDirectly(peer);
            }
        } catch (VerbsException e) {
            throw unreachable(e.getMessage(), e);
        }
        return connection(socket, peer, false);
    }

    @Override
    public VerbsConnection connect(ControlSocket socket, ByteBuffer peerHello)
            throws ProtocolException, IOException {
        if (!fabric.traits().connectsByCm()) {
            return meet(socket, peerHello);
        }
        VerbsHello peer = decode(peerHello);
        try {
            makeLinks(peer);
            InetSocketAddress remote = new InetSocketAddress(InetAddress.ofLiteral(peer.connect().address().host()),
                    peer.connect().address().port());
            for (int i = 0; i < links.size(); i++) {
                links.get(i).connect(remote, peer.connect().token(), i);
            }
        } catch (VerbsException | IllegalArgumentException e) {
            throw unreachable(e.getMessage(), e);
        }
        return connection(socket, peer, true);
    }

    private VerbsHello decode(ByteBuffer peerHello) throws ProtocolException {
        VerbsHello peer = VerbsHello.decode(peerHello);
        if (peer.wire() != fabric.wire()) {
            throw new ProtocolException("one side has a device that speaks iWARP, the other one that does not");
        }
        boolean isByCm = fabric.traits().connectsByCm();
        if (peer.connect().isByCm() != isByCm) {
            throw new ProtocolException("this side connects " + words(isByCm) + ", the other " + words(!isByCm)
                    + "; give both the same --rdma-connect");
        }
        return peer;
    }

    private static String words(boolean isByCm) {
        return isByCm ? "through rdma_cm" : "directly";
    }

    private static ProtocolException unreachable(String why, Exception cause) {
        return new ProtocolException(VerbsConnection.UNREACHABLE + why, cause);
    }

    private void connectDirectly(VerbsHello peer) {
        for (int i = 0; i < queuePairs.size(); i++) {
            queuePairs.get(i).connect(peer.pairs().get(i));
        }
    }

    private void makeLinks(VerbsHello peer) {
        for (int i = 0; i < queuePairs.size(); i++) {
            links.add(new CmLink(fabric.agent(), queuePairs.get(i).end(peer.pairs().get(i))));
        }
    }

    private VerbsConnection connection(ControlSocket socket, VerbsHello peer, boolean begins) throws IOException {
        VerbsConnection connection = new VerbsConnection(fabric, socket, List.copyOf(queuePairs), List.copyOf(links),
                token, begins, peer);
        isTaken = true;
        return connection;
    }

    @Override
    public void close() {
        if (!isTaken) {
            fabric.disconnect(links, token);
            queuePairs.forEach(VerbsQueuePair::destroy);
        }
    }
}
