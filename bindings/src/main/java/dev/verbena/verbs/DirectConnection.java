package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.EOPNOTSUPP;

import java.security.SecureRandom;

/**
 * A connection that the two sides make themselves, each telling the other the address of its queue pair over a wire of
 * their own, a socket for instance.
 *
 * <pre>
 *   DirectConnection connection = DirectConnection.prepare(pair);               // RESET → INIT
 *   ... send connection.address().encode(), receive the peer's, post receives
 *   connection.connect(QueuePairAddress.decode(peer));                          // → READY_TO_SEND
 * </pre>
 *
 * <p>A side may send as soon as it is connected and knows that the other one is, too: what comes earlier is dropped, and sent
 * again after the timeout. Where both are of one process, {@link #connect(QueuePair, QueuePair)} does all of it.
 *
 * <p>On iWARP a connection exists only through rdma_cm: {@link dev.verbena.verbs.cm.CmConnection}, which is an alternative everywhere.
 *
 * <p><b>Owner:</b> none; what ends the connection is to close the queue pair, or to bring it to RESET, after which it can be
 * prepared anew. <b>Threading:</b> confined to whoever prepared it.
 *
 * <p>Source: ibv_modify_qp(3); the order of things is that of libibverbs/examples/rc_pingpong.c of rdma-core.
 */
public final class DirectConnection {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int PACKET_SEQUENCE_BITS = 24;

    private final QueuePair pair;
    private final DirectConnectionOptions options;
    private final QueuePairAddress address;

    DirectConnection(QueuePair pair, DirectConnectionOptions options, QueuePairAddress address) {
        this.pair = pair;
        this.options = options;
        this.address = address;
    }

    /** As {@link #prepare(QueuePair, DirectConnectionOptions)}, with what is best on the queue pair's device. */
    public static DirectConnection prepare(QueuePair pair) {
        requireDirect(pair);
        return prepare(pair, DirectConnectionOptions.of(pair.protectionDomain().context()));
    }

    /**
     * Brings a queue pair from RESET to INIT: from now on receives may be posted.
     *
     * @throws IllegalArgumentException if the queue pair is for datagrams, or has a connection manager
     * @throws VerbsException EOPNOTSUPP on iWARP; or if the device refuses
     */
    public static DirectConnection prepare(QueuePair pair, DirectConnectionOptions options) {
        requireDirect(pair);
        pair.modify(QueuePairAttributes.to(QueuePairState.INIT).port(options.port().number())
                .partitionKeyIndex(options.partitionKeyIndex()).access(options.access()));
        // At random, so that packets of an earlier connection are not taken for those of this one.
        int packetSequence = RANDOM.nextInt(1 << PACKET_SEQUENCE_BITS);
        return new DirectConnection(pair, options, new QueuePairAddress(pair.number(), packetSequence,
                options.gid() == null ? Gid.ZERO : options.gid().gid(), options.port().lid(), options.mtu(),
                options.readsAcceptedMax()));
    }

    private static void requireDirect(QueuePair pair) {
        if (pair.type() == QueuePairType.UNRELIABLE_DATAGRAM || pair.isConnectionManaged()) {
            throw new IllegalArgumentException(pair + ", type=" + pair.type() + (pair.isConnectionManaged()
                    ? " is connected by its CmId: call that one's connect or accept"
                    : " is never connected: each datagram names an address handle"));
        }
        DeviceContext context = pair.protectionDomain().context();
        if (context.transport() == TransportType.IWARP) {
            throw new VerbsException("ibv_modify_qp", pair.on() + ", transport=" + context.transport(), EOPNOTSUPP(),
                    "on iWARP a connection exists only through rdma_cm: connect by IP address and port, with"
                            + " CmConnection and CmListener");
        }
    }

    /** Connects two queue pairs of this process and this device with each other, with what is best on the device. */
    public static void connect(QueuePair one, QueuePair other) {
        requireDirect(one);
        connect(one, other, DirectConnectionOptions.of(one.protectionDomain().context()));
    }

    /**
     * Connects two queue pairs of this process with each other: from RESET to READY_TO_SEND. Both use the same port; where
     * they shall not, prepare and connect each.
     *
     * @throws IllegalArgumentException if they are of different openings of a device; or as {@link #prepare} has it
     */
    public static void connect(QueuePair one, QueuePair other, DirectConnectionOptions options) {
        one.protectionDomain().context().requireOwn(other.protectionDomain().context(), other);
        DirectConnection first = prepare(one, options);
        DirectConnection second = prepare(other, options);
        first.connect(second.address);
        second.connect(first.address);
    }

    /** What the peer must be told. */
    public QueuePairAddress address() {
        return address;
    }

    /**
     * Brings the queue pair to READY_TO_SEND, towards the peer's.
     *
     * @throws VerbsException if the device refuses the peer's address
     */
    public void connect(QueuePairAddress peer) {
        pair.modify(toReadyToReceive(peer));
        pair.modify(toReadyToSend(peer));
    }

    QueuePairAttributes toReadyToReceive(QueuePairAddress peer) {
        QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.READY_TO_RECEIVE)
                .addressVector(way(peer)).mtu(Math.min(options.mtu(), peer.mtu()))
                .destination(peer.queuePairNumber()).receivePacketSequence(peer.packetSequence());
        return isReliable() ? attributes.readsAcceptedMax(options.readsAcceptedMax())
                .receiverNotReadyTimer(options.retries().receiverNotReadyTimer()) : attributes;
    }

    private AddressVector way(QueuePairAddress peer) {
        int port = options.port().number();
        AddressVector way = options.gid() == null ? AddressVector.toLid(port, peer.lid())
                : AddressVector.toGid(port, options.gid().index(), peer.gid()).withLid(peer.lid());
        return way.withQuality(options.serviceLevel(), options.trafficClass());
    }

    QueuePairAttributes toReadyToSend(QueuePairAddress peer) {
        QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.READY_TO_SEND)
                .sendPacketSequence(address.packetSequence());
        Retries retries = options.retries();
        return isReliable() ? attributes
                .readsOutstandingMax(Math.min(options.readsOutstandingMax(), peer.readsAcceptedMax()))
                .timeout(retries.timeout()).retryCount(retries.count())
                .receiverNotReadyRetry(retries.receiverNotReadyCount()) : attributes;
    }

    private boolean isReliable() {
        return pair.type() == QueuePairType.RELIABLE_CONNECTED;
    }
}
