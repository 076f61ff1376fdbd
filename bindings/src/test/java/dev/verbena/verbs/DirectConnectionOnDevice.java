package dev.verbena.verbs;

import static dev.verbena.verbs.QueuePairType.RELIABLE_CONNECTED;
import static dev.verbena.verbs.QueuePairType.UNRELIABLE_DATAGRAM;
import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.verbs.cm.CmPair;

/** From RESET to the first message in a call or two. */
@Needs(Need.CONNECTING_BY_HAND)
class DirectConnectionOnDevice {
    private final TestDevice device = new TestDevice();
    private final CompletionQueue queue = device.queue();
    private final CompletionQueue peerQueue = device.queue();
    private final MemoryRegion region = device.region();

    @AfterEach
    void close() {
        device.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"RELIABLE_CONNECTED", "UNRELIABLE_CONNECTED"})
    void twoOfOneProcessAreConnectedByOneCall(QueuePairType type) {
        if (type == QueuePairType.UNRELIABLE_CONNECTED) {
            TestDevice.require(Need.UNRELIABLE_CONNECTIONS);
        }
        QueuePair pair = device.queuePair(type, queue);
        QueuePair peer = device.queuePair(type, peerQueue);
        DirectConnection.connect(pair, peer);
        TestDevice.receive(peer, 2, region, 1024, 16);
        send(pair, 1);
        device.expect(peerQueue, 2, SUCCESS);
        QueuePairAttributes attributes = pair.query();
        assertEquals(QueuePairState.READY_TO_SEND, attributes.state());
        assertEquals(peer.number(), attributes.destination());
        assertEquals(device.port.activeMtuBytes(), attributes.mtu());
    }

    private void send(QueuePair pair, long id) {
        TestDevice.put(region, 0, 42);
        SendRequests sends = new SendRequests(1, 1);
        sends.get(0).send(id).element(region, 0, 16).signaled();
        assertEquals(1, pair.post(sends, 0, 1));
        device.expect(queue, id, SUCCESS);
        assertEquals(42, TestDevice.get(region, 1024));
    }

    @Test
    void receivesArePostedBeforeThePeerIsKnown() {
        QueuePair pair = device.queuePair(RELIABLE_CONNECTED, queue);
        QueuePair peer = device.queuePair(RELIABLE_CONNECTED, peerQueue);
        DirectConnectionOptions options = DirectConnectionOptions.of(device.context);
        DirectConnection here = DirectConnection.prepare(pair, options.withMtu(512).withReads(2, 8));
        DirectConnection there = DirectConnection.prepare(peer,
                options.withReads(4, 1).withRetries(new Retries(16, 5, 14, 4)));
        TestDevice.receive(peer, 2, region, 1024, 16);
        byte[] wire = here.address().encode();
        here.connect(QueuePairAddress.decode(there.address().encode()));
        there.connect(QueuePairAddress.decode(wire));
        assertEquals(here.address().packetSequence(), peer.query().receivePacketSequence());
        assertEquals(there.address().packetSequence(), pair.query().receivePacketSequence());
        send(pair, 1);
        device.expect(peerQueue, 2, SUCCESS);
        assertEquals(512, peer.query().mtu(), "the smaller of both");
        assertEquals(4, pair.query().readsOutstandingMax(), "what the peer takes");
        QueuePairAttributes attributes = peer.query();
        assertEquals(16, attributes.timeout());
        assertEquals(5, attributes.retryCount());
        assertEquals(14, attributes.receiverNotReadyTimer());
        assertEquals(4, attributes.receiverNotReadyRetry());
    }

    @Test
    void whatThePeerMayDoIsAnOption() {
        QueuePair pair = device.queuePair(RELIABLE_CONNECTED, queue);
        QueuePair peer = device.queuePair(RELIABLE_CONNECTED, peerQueue);
        DirectConnection.connect(pair, peer, DirectConnectionOptions.of(device.context)
                .withAccess(Set.of(AccessFlag.REMOTE_READ)));
        SendRequests sends = new SendRequests(2, 1);
        sends.get(0).read(1, region.remoteAddress(), region.rkey()).element(region, 1024, 16).signaled();
        sends.get(1).write(2, region.remoteAddress(), region.rkey()).element(region, 1024, 16).signaled();
        assertEquals(2, pair.post(sends, 0, 2));
        device.expect(queue, 1, SUCCESS);
        WorkCompletions refused = new WorkCompletions(1);
        TestDevice.await(() -> queue.poll(refused) == 1);
        // Soft-RoCE takes it for a request that it does not know, others for one that is not allowed.
        assertTrue(Set.of(WorkCompletionStatus.REMOTE_ACCESS_ERROR, WorkCompletionStatus.REMOTE_INVALID_REQUEST)
                .contains(refused.status(0)), () -> "status=" + refused.status(0));
    }

    @Test
    void afterResetItIsPreparedAnew() {
        QueuePair pair = device.queuePair(RELIABLE_CONNECTED, queue);
        QueuePair peer = device.queuePair(RELIABLE_CONNECTED, peerQueue);
        DirectConnection.connect(pair, peer);
        assertThrows(VerbsException.class, () -> DirectConnection.prepare(pair), "it is connected");
        pair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        peer.modify(QueuePairAttributes.to(QueuePairState.RESET));
        DirectConnection.connect(pair, peer);
        TestDevice.receive(peer, 2, region, 1024, 16);
        send(pair, 1);
        device.expect(peerQueue, 2, SUCCESS);
    }

    @Test
    @Needs(Need.UNRELIABLE_DATAGRAMS)
    void datagramsHaveNoConnection() {
        QueuePair pair = device.queuePair(UNRELIABLE_DATAGRAM, queue);
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                () -> DirectConnection.prepare(pair));
        assertTrue(refused.getMessage().contains("names an address handle"), refused.getMessage());
        assertEquals(QueuePairState.RESET, pair.state());
    }

    @Test
    void whatAConnectionManagerMovesIsLeftToIt() {
        CmPair managed = new CmPair();
        managed.resolve();
        QueuePair pair = managed.active.createQueuePair(managed.resources.domain, managed.resources.options());
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                () -> DirectConnection.prepare(pair));
        assertTrue(refused.getMessage().contains("is connected by its CmId"), refused.getMessage());
        pair.close();
        managed.close();
    }
}
