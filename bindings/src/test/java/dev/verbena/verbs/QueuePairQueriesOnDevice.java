package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a query says of each type: what was asked for at its creation, and what it was given in each state. */
@Needs(Need.CONNECTING_BY_HAND)
class QueuePairQueriesOnDevice {
    private final TestDevice device = new TestDevice();
    private final CompletionQueue queue = device.queue();

    @AfterEach
    void close() {
        device.close();
    }

    @ParameterizedTest
    @EnumSource(QueuePairType.class)
    void aNewOne(QueuePairType type) {
        require(type);
        hasItsCapacities(device.queuePair(type, queue));
    }

    @ParameterizedTest
    @Needs(Need.EXTENDED_QUEUE_PAIRS)
    @EnumSource(QueuePairType.class)
    void aNewExtendedOne(QueuePairType type) {
        require(type);
        hasItsCapacities(device.keep(device.domain.createExtendedQueuePair(TestDevice.options(type, queue),
                EnumSet.of(SendOperation.SEND))));
    }

    private static void require(QueuePairType type) {
        if (type != QueuePairType.RELIABLE_CONNECTED) {
            TestDevice.require(type == QueuePairType.UNRELIABLE_CONNECTED ? Need.UNRELIABLE_CONNECTIONS
                    : Need.UNRELIABLE_DATAGRAMS);
        }
    }

    private static void hasItsCapacities(QueuePair pair) {
        QueuePairAttributes now = pair.query();
        assertEquals(QueuePairState.RESET, now.state());
        assertTrue(now.sendElementCountMax() >= 4 && now.receiveElementCountMax() >= 4, "elements as asked for");
        assertTrue(now.sendDepth() >= 1 && now.receiveDepth() >= 1, "depths as asked for");
        assertTrue(now.inlineByteSizeMax() >= 64, "inline bytes as asked for");
    }

    /** The reliable one has more of them: QueuePairStatesOnDevice. */
    @Test
    @Needs(Need.UNRELIABLE_CONNECTIONS)
    void anUnreliableConnection() {
        QueuePair pair = device.queuePair(QueuePairType.UNRELIABLE_CONNECTED, queue);
        EnumSet<AccessFlag> access = EnumSet.of(AccessFlag.REMOTE_WRITE);
        pair.modify(QueuePairAttributes.to(QueuePairState.INIT).port(device.port.number()).partitionKeyIndex(0)
                .access(access));
        QueuePairAttributes now = pair.query();
        assertEquals(QueuePairState.INIT, now.state());
        assertEquals(device.port.number(), now.port());
        assertEquals(0, now.partitionKeyIndex());
        assertTrue(now.access().containsAll(access), () -> now.access().toString());
        pair.modify(QueuePairAttributes.to(QueuePairState.READY_TO_RECEIVE).addressVector(device.path()).mtu(512)
                .destination(0x123).receivePacketSequence(0x123456));
        pair.modify(QueuePairAttributes.to(QueuePairState.READY_TO_SEND).sendPacketSequence(0x654321));
        QueuePairAttributes then = pair.query();
        assertEquals(QueuePairState.READY_TO_SEND, then.state());
        assertEquals(device.path(), then.addressVector());
        assertEquals(512, then.mtu());
        assertEquals(0x123, then.destination());
        assertEquals(0x123456, then.receivePacketSequence());
        assertEquals(0x654321, then.sendPacketSequence());
    }

    @Test
    @Needs(Need.UNRELIABLE_DATAGRAMS)
    void datagrams() {
        QueuePair pair = device.queuePair(QueuePairType.UNRELIABLE_DATAGRAM, queue);
        pair.modify(QueuePairAttributes.to(QueuePairState.INIT).port(device.port.number()).partitionKeyIndex(0)
                .queueKey(TestDevice.QUEUE_KEY));
        QueuePairAttributes now = pair.query();
        assertEquals(QueuePairState.INIT, now.state());
        assertEquals(device.port.number(), now.port());
        assertEquals(0, now.partitionKeyIndex());
        assertEquals(TestDevice.QUEUE_KEY, now.queueKey());
        pair.modify(QueuePairAttributes.to(QueuePairState.READY_TO_RECEIVE));
        pair.modify(QueuePairAttributes.to(QueuePairState.READY_TO_SEND).sendPacketSequence(0x654321));
        QueuePairAttributes then = pair.query();
        assertEquals(QueuePairState.READY_TO_SEND, then.state());
        assertEquals(0x654321, then.sendPacketSequence());
    }
}
