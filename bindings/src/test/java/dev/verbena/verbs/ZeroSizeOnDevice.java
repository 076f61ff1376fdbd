package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumSet;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that carry no byte: those without elements, which use up receives and complete as any other. */
class ZeroSizeOnDevice {
    private static final int HEADER_BYTE_SIZE = 40;

    private final TestDevice device = new TestDevice();
    private final CompletionQueue queue = device.queue();
    private final CompletionQueue peerQueue = device.queue();
    private final MemoryRegion region = device.region();
    private final MemoryRegion remote = device.region();
    private final SendRequests sends = new SendRequests(1, 1);

    @AfterEach
    void close() {
        device.close();
    }

    private static ReceiveRequests emptyReceive(long id) {
        ReceiveRequests receives = new ReceiveRequests(1, 1);
        receives.get(0).receive(id);
        return receives;
    }

    @Test
    @Needs(Need.RECEIVES_WITHOUT_ELEMENTS)
    void sends() {
        QueuePair pair = device.queuePair(QueuePairType.RELIABLE_CONNECTED, queue);
        QueuePair peer = device.queuePair(QueuePairType.RELIABLE_CONNECTED, peerQueue);
        device.connect(pair, peer);
        TestDevice.put(remote, 0, 5);
        // Neither needs room in the receive, nor does room do harm.
        assertEquals(1, peer.post(emptyReceive(31), 0, 1));
        TestDevice.receive(peer, 32, remote, 0, 64);
        for (int i = 1; i <= 2; i++) {
            sends.get(0).send(i).signaled();
            assertEquals(1, pair.post(sends, 0, 1));
            device.expect(queue, i, SUCCESS);
            assertEquals(0, device.expect(peerQueue, 30 + i, SUCCESS).byteSize(0));
        }
        assertEquals(5, TestDevice.get(remote, 0));
    }

    @Test
    void writes() {
        QueuePair pair = device.queuePair(QueuePairType.RELIABLE_CONNECTED, queue);
        QueuePair peer = device.queuePair(QueuePairType.RELIABLE_CONNECTED, peerQueue);
        device.connect(pair, peer);
        TestDevice.put(remote, 0, 5);
        sends.get(0).write(1, remote.remoteAddress(), remote.rkey()).signaled();
        assertEquals(1, pair.post(sends, 0, 1));
        assertEquals(WorkCompletionOpcode.WRITE, device.expect(queue, 1, SUCCESS).opcode(0));
        assertEquals(5, TestDevice.get(remote, 0));
    }

    /** A signal without data, as flow control sends it. */
    @Test
    @Needs(Need.IMMEDIATES)
    void writesWithImmediate() {
        QueuePair pair = device.queuePair(QueuePairType.RELIABLE_CONNECTED, queue);
        QueuePair peer = device.queuePair(QueuePairType.RELIABLE_CONNECTED, peerQueue);
        device.connect(pair, peer);
        assertEquals(1, peer.post(emptyReceive(31), 0, 1));
        sends.get(0).writeWithImmediate(1, remote.remoteAddress(), remote.rkey(), 0x01020304).signaled();
        assertEquals(1, pair.post(sends, 0, 1));
        device.expect(queue, 1, SUCCESS);
        WorkCompletions received = device.expect(peerQueue, 31, SUCCESS);
        assertEquals(0, received.byteSize(0));
        assertEquals(0x01020304, received.immediate(0));
    }

    @Test
    @Needs(Need.UNRELIABLE_DATAGRAMS)
    void datagrams() {
        QueuePair pair = device.queuePair(QueuePairType.UNRELIABLE_DATAGRAM, queue);
        QueuePair peer = device.queuePair(QueuePairType.UNRELIABLE_DATAGRAM, peerQueue);
        device.connect(pair, peer);
        AddressHandle handle = device.keep(device.domain.createAddressHandle(device.path()));
        TestDevice.receive(peer, 31, region, 0, 512);
        sends.get(0).send(1).to(handle, peer.number(), TestDevice.QUEUE_KEY).signaled();
        assertEquals(1, pair.post(sends, 0, 1));
        device.expect(queue, 1, SUCCESS);
        assertEquals(HEADER_BYTE_SIZE, device.expect(peerQueue, 31, SUCCESS).byteSize(0), "its header alone");
    }

    @Test
    @Needs(Need.EXTENDED_QUEUE_PAIRS)
    void inBatches() {
        ExtendedQueuePair pair = device.keep(device.domain.createExtendedQueuePair(
                TestDevice.options(QueuePairType.RELIABLE_CONNECTED, queue), EnumSet.allOf(SendOperation.class)));
        QueuePair peer = device.queuePair(QueuePairType.RELIABLE_CONNECTED, peerQueue);
        device.connect(pair, peer);
        TestDevice.receive(peer, 31, remote, 0, 64);
        pair.begin();
        pair.next().write(1, remote.remoteAddress(), remote.rkey()).signaled();
        pair.next().send(2).signaled();
        assertEquals(2, pair.complete());
        device.expect(queue, 1, SUCCESS);
        device.expect(queue, 2, SUCCESS);
        assertEquals(0, device.expect(peerQueue, 31, SUCCESS).byteSize(0));
    }
}
