package dev.verbena.verbs;

import static dev.verbena.verbs.QueuePairState.ERROR;
import static dev.verbena.verbs.QueuePairState.INIT;
import static dev.verbena.verbs.QueuePairState.READY_TO_RECEIVE;
import static dev.verbena.verbs.QueuePairState.READY_TO_SEND;
import static dev.verbena.verbs.QueuePairState.RESET;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.api.Test;

/** Each way from state to state: what it takes, what is no way, and that the device then has what was given. */
class QueuePairStatesOnDevice {
    private static final Set<AccessFlag> ACCESS = EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);

    private final LoopbackPair pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED);
    private QueuePair queuePair;

    @AfterEach
    void close() {
        if (queuePair != null) {
            queuePair.close();
        }
        pair.close();
    }

    @ParameterizedTest
    @Needs(Need.CONNECTING_BY_HAND)
    @EnumSource(QueuePairType.class)
    void eachAttributeThatIsMissingIsNamed(QueuePairType type) {
        switch (type) {
            case UNRELIABLE_CONNECTED -> TestDevice.require(Need.UNRELIABLE_CONNECTIONS);
            case UNRELIABLE_DATAGRAM -> TestDevice.require(Need.UNRELIABLE_DATAGRAMS);
            case RELIABLE_CONNECTED -> {
                // Each device has them.
            }
        }
        create(type);
        for (QueuePairState to : new QueuePairState[]{INIT, READY_TO_RECEIVE, READY_TO_SEND}) {
            Map<QueuePairAttribute, UnaryOperator<QueuePairAttributes>> needed = needed(type, to);
            for (QueuePairAttribute missing : needed.keySet()) {
                QueuePairAttributes attributes = QueuePairAttributes.to(to);
                needed.forEach((attribute, give) -> {
                    if (attribute != missing) {
                        give.apply(attributes);
                    }
                });
                IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                        () -> queuePair.modify(attributes));
                assertTrue(refused.getMessage().contains("to state=" + to + " only with [" + missing + "]"),
                        refused.getMessage());
            }
            QueuePairAttributes all = QueuePairAttributes.to(to);
            needed.values().forEach(give -> give.apply(all));
            queuePair.modify(all);
            assertEquals(to, queuePair.state());
        }
    }

    /** The kernel's table has no such ways; from RESET, where it has none but to INIT, nor to itself without. */
    @Test
    @Needs(Need.CONNECTING_BY_HAND)
    void waysThatDoNotExist() {
        create(QueuePairType.RELIABLE_CONNECTED);
        refuse(READY_TO_RECEIVE);
        refuse(READY_TO_SEND);
        pair.toInit(queuePair);
        refuse(READY_TO_SEND);
        pair.toReadyToReceive(queuePair, pair.target.queuePair.number());
        refuse(INIT);
        LoopbackPair.toReadyToSend(queuePair);
        refuse(INIT);
        refuse(READY_TO_RECEIVE);
        queuePair.modify(QueuePairAttributes.to(ERROR));
        refuse(INIT);
        refuse(READY_TO_RECEIVE);
        refuse(READY_TO_SEND);
    }

    @Test
    @Needs(Need.CONNECTING_BY_HAND)
    void resetAndErrorAreReachedFromEverywhere() {
        create(QueuePairType.RELIABLE_CONNECTED);
        for (QueuePairState from : new QueuePairState[]{INIT, READY_TO_RECEIVE, READY_TO_SEND, ERROR}) {
            bring(from);
            queuePair.modify(QueuePairAttributes.to(ERROR));
            assertEquals(ERROR, queuePair.state());
            queuePair.modify(QueuePairAttributes.to(RESET));
            bring(from);
            assertEquals(from, queuePair.state());
            queuePair.modify(QueuePairAttributes.to(RESET));
            assertEquals(RESET, queuePair.state());
        }
    }

    @Test
    @Needs(Need.CONNECTING_BY_HAND)
    void theDeviceHasWhatWasGiven() {
        create(QueuePairType.RELIABLE_CONNECTED);
        queuePair.modify(QueuePairAttributes.to(INIT).port(pair.port.number()).partitionKeyIndex(0).access(ACCESS));
        // Soft-RoCE, having no VLAN, keeps no service level.
        AddressVector way = vector().withQuality(0, 96);
        queuePair.modify(QueuePairAttributes.to(READY_TO_RECEIVE).addressVector(way).mtu(512)
                .destination(pair.target.queuePair.number()).receivePacketSequence(0x123456).readsAcceptedMax(8)
                .receiverNotReadyTimer(14));
        queuePair.modify(QueuePairAttributes.to(READY_TO_SEND).sendPacketSequence(0x654321).readsOutstandingMax(2)
                .retryCount(5).receiverNotReadyRetry(6).timeout(17));
        QueuePairAttributes now = queuePair.query();
        assertEquals(READY_TO_SEND, now.state());
        assertEquals(pair.port.number(), now.port());
        assertEquals(0, now.partitionKeyIndex());
        assertTrue(now.access().containsAll(ACCESS), () -> now.access().toString());
        assertEquals(way, now.addressVector());
        assertEquals(512, now.mtu());
        assertEquals(pair.target.queuePair.number(), now.destination());
        assertEquals(0x123456, now.receivePacketSequence());
        assertEquals(0x654321, now.sendPacketSequence());
        assertEquals(8, now.readsAcceptedMax());
        assertEquals(2, now.readsOutstandingMax());
        assertEquals(14, now.receiverNotReadyTimer());
        assertEquals(5, now.retryCount());
        assertEquals(6, now.receiverNotReadyRetry());
        assertEquals(17, now.timeout());
        assertTrue(now.sendDepth() >= 16 && now.receiveDepth() >= 16 && now.sendElementCountMax() >= 1
                && now.receiveElementCountMax() >= 1, "capacities as asked for");
        assertEquals(queuePair.inlineByteSizeMax(), now.inlineByteSizeMax());
    }

    @Test
    @Needs(Need.CONNECTING_BY_HAND)
    void attributesChangeWithoutAChangeOfState() {
        create(QueuePairType.RELIABLE_CONNECTED);
        bring(READY_TO_SEND);
        queuePair.modify(new QueuePairAttributes().receiverNotReadyTimer(20).access(ACCESS));
        assertEquals(20, queuePair.query().receiverNotReadyTimer());
        assertEquals(READY_TO_SEND, queuePair.state());
    }

    @Test
    void moreThanTheDeviceHasIsRefused() {
        QueuePairOptions options = QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, pair.initiator.queue);
        for (QueuePairOptions each : new QueuePairOptions[]{options.withDepth(1 << 30, 1),
                options.withDepth(1, 1 << 30), options.withElementCountMax(1 << 20, 1),
                options.withElementCountMax(1, 1 << 20), options.withInlineByteSizeMax(1 << 30)}) {
            VerbsException refused = assertThrows(VerbsException.class, () -> pair.domain.createQueuePair(each));
            assertTrue(refused.getMessage().startsWith("ibv_create_qp failed: device="), refused.getMessage());
        }
    }

    private void create(QueuePairType type) {
        queuePair = pair.domain.createQueuePair(QueuePairOptions.of(type, pair.initiator.queue));
    }

    private void refuse(QueuePairState to) {
        QueuePairState before = queuePair.state();
        QueuePairAttributes attributes = QueuePairAttributes.to(to);
        needed(QueuePairType.RELIABLE_CONNECTED, to).values().forEach(give -> give.apply(attributes));
        VerbsException refused = assertThrows(VerbsException.class, () -> queuePair.modify(attributes));
        assertEquals(22, refused.errno());
        assertEquals(before, queuePair.state());
    }

    private void bring(QueuePairState to) {
        pair.toInit(queuePair);
        if (to == READY_TO_RECEIVE || to == READY_TO_SEND) {
            pair.toReadyToReceive(queuePair, pair.target.queuePair.number());
        }
        if (to == READY_TO_SEND) {
            LoopbackPair.toReadyToSend(queuePair);
        }
        if (to == ERROR) {
            queuePair.modify(QueuePairAttributes.to(ERROR));
        }
    }

    private AddressVector vector() {
        return AddressVector.toGid(pair.port.number(), pair.gid.index(), pair.gid.gid());
    }

    /** The man page's table, written again from it. */
    private Map<QueuePairAttribute, UnaryOperator<QueuePairAttributes>> needed(QueuePairType type, QueuePairState to) {
        boolean isReliable = type == QueuePairType.RELIABLE_CONNECTED;
        boolean isDatagram = type == QueuePairType.UNRELIABLE_DATAGRAM;
        Map<QueuePairAttribute, UnaryOperator<QueuePairAttributes>> needed = new LinkedHashMap<>();
        if (to == INIT) {
            needed.put(QueuePairAttribute.PARTITION_KEY_INDEX, a -> a.partitionKeyIndex(0));
            needed.put(QueuePairAttribute.PORT, a -> a.port(pair.port.number()));
            if (isDatagram) {
                needed.put(QueuePairAttribute.QUEUE_KEY, a -> a.queueKey(0x11111111));
            } else {
                needed.put(QueuePairAttribute.ACCESS_FLAGS, a -> a.access(ACCESS));
            }
        } else if (to == READY_TO_RECEIVE && !isDatagram) {
            needed.put(QueuePairAttribute.ADDRESS_VECTOR, a -> a.addressVector(vector()));
            needed.put(QueuePairAttribute.PATH_MTU, a -> a.mtu(1024));
            needed.put(QueuePairAttribute.DESTINATION, a -> a.destination(pair.target.queuePair.number()));
            needed.put(QueuePairAttribute.RECEIVE_PACKET_SEQUENCE, a -> a.receivePacketSequence(0));
            if (isReliable) {
                needed.put(QueuePairAttribute.READS_ACCEPTED_MAX, a -> a.readsAcceptedMax(1));
                needed.put(QueuePairAttribute.RECEIVER_NOT_READY_TIMER, a -> a.receiverNotReadyTimer(12));
            }
        } else if (to == READY_TO_SEND) {
            needed.put(QueuePairAttribute.SEND_PACKET_SEQUENCE, a -> a.sendPacketSequence(0));
            if (isReliable) {
                needed.put(QueuePairAttribute.READS_OUTSTANDING_MAX, a -> a.readsOutstandingMax(1));
                needed.put(QueuePairAttribute.RETRY_COUNT, a -> a.retryCount(1));
                needed.put(QueuePairAttribute.RECEIVER_NOT_READY_RETRY, a -> a.receiverNotReadyRetry(1));
                needed.put(QueuePairAttribute.TIMEOUT, a -> a.timeout(14));
            }
        }
        return needed;
    }
}
