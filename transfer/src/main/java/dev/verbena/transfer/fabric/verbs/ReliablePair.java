package dev.verbena.transfer.fabric.verbs;

import java.util.EnumSet;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.AddressVector;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.QueuePairOptions;
import dev.verbena.verbs.QueuePairState;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.cm.CmId;
import dev.verbena.verbs.cm.ConnectionParameters;

/**
 * How a reliable connected queue pair of the device comes to READY_TO_SEND.
 *
 * <p>Threading: functions of a queue pair that its maker has for himself.
 */
final class ReliablePair {
    private static final Logger LOGGER = LoggerFactory.getLogger(ReliablePair.class);
    /** 0.64 ms; the shortest ones make storms (ibv_modify_qp(3), min_rnr_timer). */
    private static final int RECEIVER_NOT_READY_TIMER = 12;
    private static final long RECEIVER_NOT_READY_TIMER_NS = 640_000;
    private static final int RETRIES_MAX = 6;
    private static final int RETRY_FOR_EVER = 7;

    private ReliablePair() {}

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

    /** To INIT. */
    static void open(QueuePair pair, VerbsFabric fabric) {
        pair.modify(QueuePairAttributes.to(QueuePairState.INIT).port(fabric.choice().port().number())
                .partitionKeyIndex(fabric.network().pkeyIndex()).access(remoteRights(fabric.traits().hasAtomics())));
    }

    private static Set<AccessFlag> remoteRights(boolean hasAtomics) {
        return hasAtomics ? EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC)
                : EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
    }

    /** To READY_TO_SEND. */
    static void connect(QueuePair pair, VerbsFabric fabric, VerbsHello peer, VerbsHello.PairAddress address,
            int packetSequence, long receiverNotReadyTimeoutNs) {
        PortChoice choice = fabric.choice();
        NetworkOptions network = fabric.network();
        AddressVector way = AddressVector
                .toGid(choice.port().number(), choice.gidEntry().index(), peer.gid())
                .withLid(peer.lid()).withQuality(network.serviceLevel(), network.trafficClass());
        pair.modify(QueuePairAttributes.to(QueuePairState.READY_TO_RECEIVE).addressVector(way)
                .mtu(Math.min(choice.mtu(), peer.mtu())).destination(address.number())
                .receivePacketSequence(address.packetSequence()).readsAcceptedMax(fabric.readsAcceptedMax())
                .receiverNotReadyTimer(RECEIVER_NOT_READY_TIMER));
        pair.modify(QueuePairAttributes.to(QueuePairState.READY_TO_SEND).sendPacketSequence(packetSequence)
                .readsOutstandingMax(readsOutstandingMax(fabric, peer))
                .retryCount(network.retryCount()).receiverNotReadyRetry(retries(receiverNotReadyTimeoutNs))
                .timeout(network.timeout()));
    }

    /** To READY_TO_SEND, over the way that the connection manager has found; the rest is as without it. */
    static void connect(QueuePair pair, VerbsFabric fabric, VerbsHello peer, CmId id, long receiverNotReadyTimeoutNs) {
        NetworkOptions network = fabric.network();
        pair.modify(id.attributes(QueuePairState.READY_TO_RECEIVE).mtu(Math.min(fabric.choice().mtu(), peer.mtu()))
                .readsAcceptedMax(fabric.readsAcceptedMax()).receiverNotReadyTimer(RECEIVER_NOT_READY_TIMER));
        pair.modify(id.attributes(QueuePairState.READY_TO_SEND)
                .readsOutstandingMax(readsOutstandingMax(fabric, peer)).retryCount(network.retryCount())
                .receiverNotReadyRetry(retries(receiverNotReadyTimeoutNs)).timeout(network.timeout()));
    }

    /** What the connection manager tells the peer's, which on iWARP sets queue pairs up by it. */
    static ConnectionParameters parameters(QueuePair pair, VerbsFabric fabric, VerbsHello peer) {
        return ConnectionParameters.defaults()
                .withReads(fabric.readsAcceptedMax(), readsOutstandingMax(fabric, peer))
                .withRetries(fabric.network().retryCount(), RETRY_FOR_EVER).withQueuePair(pair, false);
    }

    private static int readsOutstandingMax(VerbsFabric fabric, VerbsHello peer) {
        return Math.min(fabric.limits().readsOutstandingMax(), peer.readsAcceptedMax());
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
