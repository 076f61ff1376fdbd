package dev.verbena.transfer.fabric.verbs;

import java.util.EnumSet;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.DirectConnection;
import dev.verbena.verbs.DirectConnectionOptions;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAddress;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.QueuePairOptions;
import dev.verbena.verbs.QueuePairState;
import dev.verbena.verbs.Retries;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.cm.CmId;
import dev.verbena.verbs.cm.ConnectionParameters;

/**
 * How a reliable connected queue pair of the device comes to READY_TO_SEND.
 *
 * <p>Threading: confined to who has the queue pair for himself.
 */
final class ReliablePair {
    private static final Logger LOGGER = LoggerFactory.getLogger(ReliablePair.class);
    /** 0.64 ms; the shortest ones make storms (ibv_modify_qp(3), min_rnr_timer). */
    private static final int RECEIVER_NOT_READY_TIMER = 12;
    private static final long RECEIVER_NOT_READY_TIMER_NS = 640_000;
    private static final int RETRIES_MAX = 6;
    private static final int RETRY_FOR_EVER = 7;
    /** The fields for them have 8 bits. */
    private static final int READS_MAX = 255;

    private final QueuePair pair;
    private final DirectConnectionOptions options;
    /** Null where the kernel moves the queue pair. */
    private final DirectConnection connection;
    private final QueuePairAddress address;

    private ReliablePair(QueuePair pair, DirectConnectionOptions options, DirectConnection connection,
            QueuePairAddress address) {
        this.pair = pair;
        this.options = options;
        this.connection = connection;
        this.address = address;
    }

    /** How much may be inline no device tells but by refusing the queue pair: then with half as much, down to nothing. */
    static QueuePair create(VerbsFabric fabric, QueuePairOptions options) {
        try {
            return fabric.domain().createQueuePair(options);
        } catch (VerbsException e) {
            if (options.inlineByteSizeMax() == 0) {
                throw e;
            }
            LOGGER.debug("inlineByteSizeMax={} is refused", options.inlineByteSizeMax(), e);
            return create(fabric, options.withInlineByteSizeMax(options.inlineByteSizeMax() / 2));
        }
    }

    /** Brings a new one to INIT. */
    static ReliablePair open(QueuePair pair, VerbsFabric fabric, long receiverNotReadyTimeoutNs) {
        DirectConnectionOptions options = options(fabric, receiverNotReadyTimeoutNs);
        if (fabric.traits().movesStates()) {
            DirectConnection connection = DirectConnection.prepare(pair, options);
            return new ReliablePair(pair, options, connection, connection.address());
        }
        pair.modify(QueuePairAttributes.to(QueuePairState.INIT).port(options.port().number())
                .partitionKeyIndex(options.partitionKeyIndex()).access(options.access()));
        return new ReliablePair(pair, options, null, new QueuePairAddress(pair.number(), 0, options.gid().gid(),
                options.port().lid(), options.mtu(), options.readsAcceptedMax()));
    }

    private static DirectConnectionOptions options(VerbsFabric fabric, long receiverNotReadyTimeoutNs) {
        PortChoice choice = fabric.choice();
        NetworkOptions network = fabric.network();
        return new DirectConnectionOptions(choice.port(), choice.gidEntry(), choice.mtu(), network.pkeyIndex(),
                network.serviceLevel(), network.trafficClass(),
                new Retries(network.timeout(), network.retryCount(), RECEIVER_NOT_READY_TIMER,
                        retries(receiverNotReadyTimeoutNs)),
                Math.min(fabric.limits().readsAcceptedMax(), READS_MAX),
                Math.min(fabric.limits().readsOutstandingMax(), READS_MAX),
                remoteRights(fabric.traits().hasAtomics()));
    }

    private static Set<AccessFlag> remoteRights(boolean hasAtomics) {
        return hasAtomics ? EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC)
                : EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
    }

    /** What the peer must know of it. */
    QueuePairAddress address() {
        return address;
    }

    /** To READY_TO_SEND. */
    void connect(QueuePairAddress peer) {
        connection.connect(peer);
    }

    /**
     * To READY_TO_SEND, over the way that the connection manager has found; the rest is as without it. Where the kernel moves the
     * queue pair there is nothing to do.
     */
    void connect(QueuePairAddress peer, CmId id) {
        if (connection == null) {
            return;
        }
        Retries retries = options.retries();
        pair.modify(id.attributes(QueuePairState.READY_TO_RECEIVE).mtu(Math.min(options.mtu(), peer.mtu()))
                .readsAcceptedMax(options.readsAcceptedMax())
                .receiverNotReadyTimer(retries.receiverNotReadyTimer()));
        pair.modify(id.attributes(QueuePairState.READY_TO_SEND).readsOutstandingMax(readsOutstandingMax(peer))
                .retryCount(retries.count()).receiverNotReadyRetry(retries.receiverNotReadyCount())
                .timeout(retries.timeout()));
    }

    /** What the connection manager tells the peer's, which on iWARP sets queue pairs up by it. */
    ConnectionParameters parameters(QueuePairAddress peer) {
        return ConnectionParameters.defaults().withReads(options.readsAcceptedMax(), readsOutstandingMax(peer))
                .withRetries(options.retries().count(), RETRY_FOR_EVER).withQueuePair(pair, false);
    }

    private int readsOutstandingMax(QueuePairAddress peer) {
        return Math.min(options.readsOutstandingMax(), peer.readsAcceptedMax());
    }

    /** Whether the device gives up by itself when the peer has posted no receive for so long. */
    static boolean isTimedByDevice(long receiverNotReadyTimeoutNs) {
        return retries(receiverNotReadyTimeoutNs) != RETRY_FOR_EVER;
    }

    /** The device counts retries, and seven is for ever: what takes longer than six is timed by whoever polls. */
    private static int retries(long receiverNotReadyTimeoutNs) {
        long retries = Math.ceilDiv(receiverNotReadyTimeoutNs, RECEIVER_NOT_READY_TIMER_NS);
        return retries <= RETRIES_MAX ? (int) retries : RETRY_FOR_EVER;
    }
}
