package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.rdma_core_h;

/** Unreliable datagrams, address handles and multicast groups. */
@Needs(Need.UNRELIABLE_DATAGRAMS)
class DatagramOnDevice {
    private static final int HEADER_BYTE_SIZE = 40;
    /** As RoCE v2 over IPv4 writes a group. */
    private static final Gid GROUP = Gid.parse("::ffff:224.0.0.251");

    private final TestDevice device = new TestDevice();
    private final CompletionQueue queue = device.queue();
    private final CompletionQueue peerQueue = device.queue();
    private final QueuePair pair = device.queuePair(QueuePairType.UNRELIABLE_DATAGRAM, queue);
    private final QueuePair peer = device.queuePair(QueuePairType.UNRELIABLE_DATAGRAM, peerQueue);
    private final MemoryRegion region = device.region();
    private final AddressHandle handle = device.domain.createAddressHandle(device.path());
    private final SendRequests sends = new SendRequests(4, 1, 64);

    DatagramOnDevice() {
        device.connect(pair, peer);
    }

    @AfterEach
    void close() {
        handle.close();
        device.close();
    }

    private SendRequest datagram(int index, long id) {
        return sends.get(index).send(id).element(region, 0, 16).signaled();
    }

    @Test
    @Needs(Need.IMMEDIATES)
    void aDatagramArrivesBehindItsHeaderAndIsAnswered() {
        TestDevice.put(region, 8, 42);
        TestDevice.receive(peer, 31, region, 1024, 512);
        sends.get(0).sendWithImmediate(1, 7).element(region, 0, 16).to(handle, peer.number(), TestDevice.QUEUE_KEY)
                .signaled();
        assertEquals(1, pair.post(sends, 0, 1));
        device.expect(queue, 1, SUCCESS);
        WorkCompletions received = device.expect(peerQueue, 31, SUCCESS);
        assertEquals(HEADER_BYTE_SIZE + 16, received.byteSize(0));
        assertEquals(7, received.immediate(0));
        assertTrue(received.hasGlobalRoutingHeader(0));
        assertEquals(pair.number(), received.sourceQueuePairNumber(0));
        assertEquals(42, TestDevice.get(region, 1024 + HEADER_BYTE_SIZE + 8));

        MemorySegment header = region.memory().asSlice(1024, HEADER_BYTE_SIZE);
        AddressVector sender = device.context.senderOf(received, 0, device.port.number(), header);
        assertEquals(device.gid.gid(), sender.peerGid());
        assertEquals(device.gid.index(), sender.gidIndex());
        int senderNumber = received.sourceQueuePairNumber(0);
        TestDevice.receive(pair, 32, region, 2048, 512);
        try (AddressHandle back = device.domain.createAddressHandle(sender)) {
            datagram(0, 2).to(back, senderNumber, TestDevice.QUEUE_KEY);
            assertEquals(1, peer.post(sends, 0, 1));
        }
        device.expect(peerQueue, 2, SUCCESS);
        device.expect(queue, 32, SUCCESS);
    }

    @Test
    void aHeaderOfNobodyIsAnError() {
        TestDevice.receive(peer, 31, region, 1024, 512);
        datagram(0, 1).to(handle, peer.number(), TestDevice.QUEUE_KEY);
        assertEquals(1, pair.post(sends, 0, 1));
        WorkCompletions received = device.expect(peerQueue, 31, SUCCESS);
        VerbsException failed = assertThrows(VerbsException.class,
                () -> device.context.senderOf(received, 0, device.port.number(), MemorySegment.ofArray(new byte[40])));
        assertEquals("ibv_init_ah_from_wc", failed.verb());
        assertThrows(IndexOutOfBoundsException.class,
                () -> device.context.senderOf(received, 0, device.port.number(), MemorySegment.ofArray(new byte[39])));
    }

    @Test
    void aWrongQueueKeyIsDroppedWithoutAWord() {
        TestDevice.receive(peer, 31, region, 1024, 512);
        datagram(0, 1).to(handle, peer.number(), TestDevice.QUEUE_KEY + 1);
        datagram(1, 2).to(handle, peer.number(), TestDevice.QUEUE_KEY);
        TestDevice.put(region, 0, 9);
        assertEquals(2, pair.post(sends, 0, 2));
        device.expect(queue, 1, SUCCESS);
        device.expect(queue, 2, SUCCESS);
        device.expect(peerQueue, 31, SUCCESS);
        assertEquals(0, peerQueue.poll(new WorkCompletions(1)), "only the second arrived");
    }

    @Test
    @Needs(Need.SOFT_ROCE)
    void aDatagramLongerThanAPacketGoesNowhere() {
        TestDevice.receive(peer, 31, region, 0, TestDevice.REGION_BYTE_SIZE);
        sends.get(0).send(1).element(region, 0, TestDevice.REGION_BYTE_SIZE).signaled()
                .to(handle, peer.number(), TestDevice.QUEUE_KEY);
        assertEquals(1, pair.post(sends, 0, 1));
        // Soft-RoCE takes C10-93.1.1 of the InfiniBand specification by its letter: sent, and dropped.
        device.expect(queue, 1, SUCCESS);
        datagram(0, 2).to(handle, peer.number(), TestDevice.QUEUE_KEY);
        assertEquals(1, pair.post(sends, 0, 1));
        device.expect(queue, 2, SUCCESS);
        assertEquals(HEADER_BYTE_SIZE + 16, device.expect(peerQueue, 31, SUCCESS).byteSize(0));
    }

    @Test
    void withoutADestinationNothingIsPosted() {
        datagram(0, 1).to(handle, peer.number(), TestDevice.QUEUE_KEY);
        datagram(1, 2);
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> pair.post(sends, 0, 2));
        assertTrue(refused.getMessage().contains("request id=2"), refused.getMessage());
        assertEquals(0, queue.poll(new WorkCompletions(1)));
    }

    @Test
    void aClosedHandleIsAnExceptionAtThePost() {
        AddressHandle closed = device.domain.createAddressHandle(device.path());
        datagram(0, 1).to(closed, peer.number(), TestDevice.QUEUE_KEY);
        closed.close();
        assertThrows(IllegalStateException.class, () -> pair.post(sends, 0, 1));
    }

    @Test
    void aHandleOfAnotherDomainIsAnExceptionAtThePost() {
        try (ProtectionDomain foreign = device.context.allocateProtectionDomain();
                AddressHandle other = foreign.createAddressHandle(device.path())) {
            assertThrows(IllegalStateException.class, foreign::close);
            datagram(0, 1).to(other, peer.number(), TestDevice.QUEUE_KEY);
            IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                    () -> pair.post(sends, 0, 1));
            assertTrue(refused.getMessage().contains("another protection domain"), refused.getMessage());
        }
    }

    @Test
    void aHandleThatLeadsNowhereIsAnError() {
        VerbsException failed = assertThrows(VerbsException.class,
                () -> device.domain.createAddressHandle(AddressVector.toGid(device.port.number(), 99, Gid.ZERO)));
        assertEquals("ibv_create_ah", failed.verb());
        assertTrue(failed.getMessage().contains("gidIndex=99"), failed.getMessage());
    }

    @Test
    void inlineDatagrams() {
        TestDevice.receive(peer, 31, region, 1024, 512);
        sends.get(0).send(1).inline(MemorySegment.ofArray(new byte[]{1, 2, 3})).signaled()
                .to(handle, peer.number(), TestDevice.QUEUE_KEY);
        assertEquals(1, pair.post(sends, 0, 1));
        assertEquals(HEADER_BYTE_SIZE + 3, device.expect(peerQueue, 31, SUCCESS).byteSize(0));
        assertEquals(0x030201, TestDevice.get(region, 1024 + HEADER_BYTE_SIZE));
    }

    @Test
    void multicastGroupsAreJoinedAndLeft() {
        pair.attachMulticast(GROUP, 0);
        VerbsException attached = assertThrows(VerbsException.class, pair::close);
        assertTrue(attached.getMessage().contains("detachMulticast"), attached.getMessage());
        assertTrue(pair.isOpen());
        pair.detachMulticast(GROUP, 0);
        VerbsException twice = assertThrows(VerbsException.class, () -> pair.detachMulticast(GROUP, 0));
        assertEquals(rdma_core_h.EINVAL(), twice.errno());
        VerbsException unicast = assertThrows(VerbsException.class,
                () -> pair.attachMulticast(device.gid.gid(), 0));
        assertEquals(rdma_core_h.EINVAL(), unicast.errno());
        QueuePair connected = device.queuePair(QueuePairType.RELIABLE_CONNECTED, queue);
        assertThrows(VerbsException.class, () -> connected.attachMulticast(GROUP, 0));
    }
}
