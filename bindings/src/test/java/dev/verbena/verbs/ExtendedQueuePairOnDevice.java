package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.LOCAL_PROTECTION_ERROR;
import static dev.verbena.verbs.WorkCompletionStatus.REMOTE_ACCESS_ERROR;
import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static dev.verbena.verbs.WorkCompletionStatus.WORK_REQUEST_FLUSHED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.EnumSet;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.rdma_core_h;

@Needs(Need.EXTENDED_QUEUE_PAIRS)
class ExtendedQueuePairOnDevice {
    private final TestDevice device = new TestDevice();
    private final CompletionQueue queue = device.queue();
    private final CompletionQueue peerQueue = device.queue();
    private final ExtendedQueuePair pair = device.keep(device.domain.createExtendedQueuePair(
            TestDevice.options(QueuePairType.RELIABLE_CONNECTED, queue), EnumSet.allOf(SendOperation.class)));
    private final QueuePair peer = device.queuePair(QueuePairType.RELIABLE_CONNECTED, peerQueue);
    private final MemoryRegion region = device.region();
    private final MemoryRegion remote = device.region();

    ExtendedQueuePairOnDevice() {
        device.connect(pair, peer);
    }

    @AfterEach
    void close() {
        pair.abort();
        device.close();
    }

    private SendRequest write(long id, long offset) {
        return pair.next().write(id, remote.remoteAddress() + offset, remote.rkey()).element(region, 0, 8).signaled();
    }

    @Test
    @Needs(Need.ATOMICS)
    void aBatchOfWritesReadsAndAtomicsIsOnePost() {
        TestDevice.put(region, 0, 42);
        TestDevice.put(remote, 64, 5);
        pair.begin();
        write(1, 0);
        pair.next().read(2, remote.remoteAddress(), remote.rkey()).element(region, 128, 8).fenced().signaled();
        pair.next().fetchAndAdd(3, remote.remoteAddress() + 64, remote.rkey(), 3).element(region, 136, 8).signaled();
        pair.next().compareAndSwap(4, remote.remoteAddress() + 64, remote.rkey(), 8, -1).element(region, 144, 8)
                .signaled();
        assertEquals(0, queue.poll(new WorkCompletions(1)), "nothing is posted before it is complete");
        assertEquals(4, pair.complete());
        assertEquals(WorkCompletionOpcode.WRITE, device.expect(queue, 1, SUCCESS).opcode(0));
        assertEquals(WorkCompletionOpcode.READ, device.expect(queue, 2, SUCCESS).opcode(0));
        assertEquals(WorkCompletionOpcode.FETCH_AND_ADD, device.expect(queue, 3, SUCCESS).opcode(0));
        assertEquals(WorkCompletionOpcode.COMPARE_AND_SWAP, device.expect(queue, 4, SUCCESS).opcode(0));
        assertEquals(42, TestDevice.get(region, 128));
        assertEquals(5, TestDevice.get(region, 136));
        assertEquals(8, TestDevice.get(region, 144));
        assertEquals(-1, TestDevice.get(remote, 64));
    }

    @Test
    @Needs(Need.IMMEDIATES)
    void sendsWithElementsInlineDataAndImmediate() {
        for (int i = 0; i < 4; i++) {
            TestDevice.receive(peer, 30 + i, remote, 1024L * i, 512);
        }
        TestDevice.put(region, 0, 1);
        TestDevice.put(region, 64, 2);
        byte[] data = {9, 8, 7};
        pair.begin();
        pair.next().send(1).element(region, 0, 8).element(region, 64, 8).signaled();
        pair.next().send(2).inline(MemorySegment.ofArray(data)).signaled();
        data[0] = 0;
        pair.next().sendWithImmediate(3, 0x01020304).solicited().signaled();
        pair.next().writeWithImmediate(4, remote.remoteAddress() + 8192, remote.rkey(), 0x05060708)
                .element(region, 64, 8).signaled();
        assertEquals(4, pair.complete());
        for (int id = 1; id <= 4; id++) {
            device.expect(queue, id, SUCCESS);
        }
        assertEquals(16, device.expect(peerQueue, 30, SUCCESS).byteSize(0));
        assertEquals(3, device.expect(peerQueue, 31, SUCCESS).byteSize(0));
        WorkCompletions empty = device.expect(peerQueue, 32, SUCCESS);
        assertEquals(0, empty.byteSize(0));
        assertEquals(0x01020304, empty.immediate(0));
        assertEquals(0x05060708, device.expect(peerQueue, 33, SUCCESS).immediate(0));
        assertEquals(2, TestDevice.get(remote, 8));
        assertEquals(0x070809, TestDevice.get(remote, 1024));
        assertEquals(2, TestDevice.get(remote, 8192));
    }

    @Test
    @Needs(Need.MEMORY_WINDOWS_OF_TYPE_2)
    void windowsAreBoundAndInvalidatedInABatch() {
        MemoryWindow window = device.keep(device.domain.allocateMemoryWindow(MemoryWindowType.TYPE_2));
        int before = window.rkey();
        pair.begin();
        pair.next().bind(1, window, region, 1024, 512, EnumSet.of(AccessFlag.REMOTE_WRITE)).signaled();
        pair.abort();
        assertEquals(before, window.rkey(), "nothing was posted");
        pair.begin();
        pair.next().bind(1, window, region, 1024, 512, EnumSet.of(AccessFlag.REMOTE_WRITE)).signaled();
        pair.next();
        assertThrows(IllegalStateException.class, window::close);
        assertThrows(IllegalStateException.class, pair::complete);
        assertEquals(1, pair.complete());
        device.expect(queue, 1, SUCCESS);
        assertNotEquals(before, window.rkey());
        SendRequests sends = new SendRequests(1, 1);
        sends.get(0).write(2, region.remoteAddress() + 1024, window.rkey()).element(remote, 0, 8).signaled();
        assertEquals(1, peer.post(sends, 0, 1));
        device.expect(peerQueue, 2, SUCCESS);
        pair.begin();
        pair.next().invalidate(3, window.rkey()).signaled();
        assertEquals(1, pair.complete());
        device.expect(queue, 3, SUCCESS);
        assertEquals(1, peer.post(sends, 0, 1));
        device.expect(peerQueue, 2, REMOTE_ACCESS_ERROR);
    }

    @Test
    @Needs(Need.MEMORY_WINDOWS_OF_TYPE_2)
    void sendWithInvalidateTakesThePeersWindow() {
        MemoryWindow window = device.keep(device.domain.allocateMemoryWindow(MemoryWindowType.TYPE_2));
        SendRequests binds = new SendRequests(1, 0);
        binds.get(0).bind(7, window, remote, 0, 512, EnumSet.of(AccessFlag.REMOTE_WRITE)).signaled();
        assertEquals(1, peer.post(binds, 0, 1));
        device.expect(peerQueue, 7, SUCCESS);
        TestDevice.receive(peer, 31, remote, 1024, 512);
        pair.begin();
        pair.next().write(1, remote.remoteAddress(), window.rkey()).element(region, 0, 8).signaled();
        pair.next().sendWithInvalidate(2, window.rkey()).element(region, 0, 8).signaled();
        assertEquals(2, pair.complete());
        device.expect(queue, 1, SUCCESS);
        device.expect(queue, 2, SUCCESS);
        assertEquals(window.rkey(), device.expect(peerQueue, 31, SUCCESS).invalidatedRkey(0));
        pair.begin();
        pair.next().write(3, remote.remoteAddress(), window.rkey()).element(region, 0, 8).signaled();
        assertEquals(1, pair.complete());
        device.expect(queue, 3, REMOTE_ACCESS_ERROR);
    }

    @Test
    void anAbortedBatchLeavesNothing() {
        TestDevice.put(region, 0, 42);
        pair.begin();
        write(1, 0);
        write(2, 8);
        pair.abort();
        pair.abort();
        pair.begin();
        write(3, 16);
        assertEquals(1, pair.complete());
        device.expect(queue, 3, SUCCESS);
        assertEquals(0, TestDevice.get(remote, 0));
        assertEquals(0, TestDevice.get(remote, 8));
        assertEquals(42, TestDevice.get(remote, 16));
        pair.begin();
        assertEquals(0, pair.complete(), "an empty one");
    }

    @Test
    @Needs(Need.ACKNOWLEDGEMENTS)
    void errorsAndTheFlushBehindThem() {
        pair.begin();
        pair.next().write(1, remote.remoteAddress(), remote.rkey() ^ 0xff).element(region, 0, 8).signaled();
        write(2, 0);
        assertEquals(2, pair.complete());
        device.expect(queue, 1, REMOTE_ACCESS_ERROR);
        device.expect(queue, 2, WORK_REQUEST_FLUSHED);
    }

    @Test
    void localMemoryOutOfBounds() {
        pair.begin();
        pair.next().write(1, remote.remoteAddress(), remote.rkey())
                .element(region, TestDevice.REGION_BYTE_SIZE - 4, 8).signaled();
        assertEquals(1, pair.complete());
        device.expect(queue, 1, LOCAL_PROTECTION_ERROR);
    }

    @Test
    void aBatchThatDoesNotFitIsNotPostedAtAll() {
        // Soft-RoCE rounds its ring up to a power of two.
        int tooMany = 4 * pair.sendDepth();
        pair.begin();
        for (int i = 0; i < tooMany; i++) {
            write(i, 0);
        }
        assertEquals(0, pair.complete());
        pair.begin();
        write(1, 0);
        assertEquals(1, pair.complete());
        device.expect(queue, 1, SUCCESS);
    }

    @Test
    void aRequestThatIsRefusedIsNotPartOfTheBatch() {
        ExtendedQueuePair sender = device.keep(device.domain.createExtendedQueuePair(
                TestDevice.options(QueuePairType.RELIABLE_CONNECTED, queue), EnumSet.of(SendOperation.SEND)));
        QueuePair receiver = device.queuePair(QueuePairType.RELIABLE_CONNECTED, peerQueue);
        device.connect(sender, receiver);
        TestDevice.receive(receiver, 31, remote, 0, 8);
        sender.begin();
        sender.next().write(1, remote.remoteAddress(), remote.rkey());
        IllegalStateException notCreatedFor = assertThrows(IllegalStateException.class, sender::next);
        assertTrue(notCreatedFor.getMessage().contains("operation=WRITE: give each one of [SEND]"),
                notCreatedFor.getMessage());
        sender.next().send(2).element(region, 0, 8).signaled();
        sender.next();
        IllegalStateException none = assertThrows(IllegalStateException.class, sender::complete);
        assertTrue(none.getMessage().contains("operation=null"), none.getMessage());
        assertEquals(1, sender.complete());
        device.expect(queue, 2, SUCCESS);
        device.expect(peerQueue, 31, SUCCESS);
        assertThrows(IllegalArgumentException.class, () -> device.domain.createExtendedQueuePair(
                TestDevice.options(QueuePairType.RELIABLE_CONNECTED, queue), EnumSet.noneOf(SendOperation.class)));
    }

    @Test
    void elementsThatSoftRoceWouldMiscountAreRefused() {
        pair.begin();
        pair.next().send(1).element(region, 0, 8).element(region, 64, 16);
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, pair::next);
        assertTrue(refused.getMessage().contains("different sizes"), refused.getMessage());
        SendRequest request = pair.next().send(2);
        assertThrows(IllegalArgumentException.class, () -> request.inline(MemorySegment.ofArray(new byte[65])));
    }

    @Test
    @Needs(Need.MEMORY_WINDOWS)
    void whatWouldWaitForTheEndOfTheBatchIsRefused() {
        assertThrows(IllegalStateException.class, pair::next);
        assertThrows(IllegalStateException.class, pair::complete);
        pair.begin();
        assertThrows(IllegalStateException.class, pair::begin);
        assertThrows(IllegalStateException.class, () -> pair.post(new SendRequests(1, 1), 0, 1));
        MemoryWindow window = device.keep(device.domain.allocateMemoryWindow(MemoryWindowType.TYPE_1));
        assertThrows(IllegalStateException.class,
                () -> pair.bind(1, window, region, 0, 8, EnumSet.of(AccessFlag.REMOTE_READ), true));
        IllegalStateException open = assertThrows(IllegalStateException.class, pair::close);
        assertTrue(open.getMessage().contains("complete or abort it first"), open.getMessage());
        pair.abort();
        SendRequests sends = new SendRequests(1, 1);
        sends.get(0).write(5, remote.remoteAddress(), remote.rkey()).element(region, 0, 8).signaled();
        assertEquals(1, pair.post(sends, 0, 1), "the classic way works too");
        device.expect(queue, 5, SUCCESS);
    }

    @Test
    void onceClosedItIsAnException() {
        ExtendedQueuePair closed = device.domain.createExtendedQueuePair(
                TestDevice.options(QueuePairType.RELIABLE_CONNECTED, queue), EnumSet.of(SendOperation.SEND));
        closed.close();
        assertThrows(IllegalStateException.class, closed::begin);
        SendRequests two = new SendRequests(2, 1);
        for (int i = 0; i < 2; i++) {
            two.get(i).write(i, remote.remoteAddress(), remote.rkey()).element(region, 0, 8).signaled();
        }
        assertThrows(IllegalStateException.class, () -> closed.post(two, 0, 1));
        assertEquals(2, pair.post(two, 0, 2), "the list is still whole");
        device.expect(queue, 0, SUCCESS);
        device.expect(queue, 1, SUCCESS);
    }

    @Test
    @Needs({Need.UNRELIABLE_DATAGRAMS, Need.IMMEDIATES})
    void datagramsNeedADestination() {
        ExtendedQueuePair sender = device.keep(device.domain.createExtendedQueuePair(
                TestDevice.options(QueuePairType.UNRELIABLE_DATAGRAM, queue),
                EnumSet.of(SendOperation.SEND, SendOperation.SEND_WITH_IMMEDIATE)));
        QueuePair receiver = device.queuePair(QueuePairType.UNRELIABLE_DATAGRAM, peerQueue);
        device.connect(sender, receiver);
        TestDevice.receive(receiver, 31, remote, 0, 512);
        AddressHandle handle = device.domain.createAddressHandle(device.path());
        sender.begin();
        sender.next().send(1).element(region, 0, 8);
        assertThrows(IllegalArgumentException.class, sender::next);
        sender.next().sendWithImmediate(2, 7).element(region, 0, 8)
                .to(handle, receiver.number(), TestDevice.QUEUE_KEY).signaled();
        assertEquals(1, sender.complete());
        device.expect(queue, 2, SUCCESS);
        assertEquals(7, device.expect(peerQueue, 31, SUCCESS).immediate(0));
        sender.begin();
        sender.next().send(3).element(region, 0, 8).to(handle, receiver.number(), TestDevice.QUEUE_KEY);
        handle.close();
        assertThrows(IllegalStateException.class, sender::complete);
        sender.abort();
    }

    @Test
    @Needs(Need.UNRELIABLE_CONNECTIONS)
    void batchesOfAnUnreliableConnection() {
        ExtendedQueuePair sender = device.keep(device.domain.createExtendedQueuePair(
                TestDevice.options(QueuePairType.UNRELIABLE_CONNECTED, queue), EnumSet.of(SendOperation.WRITE)));
        QueuePair receiver = device.queuePair(QueuePairType.UNRELIABLE_CONNECTED, peerQueue);
        VerbsException early = assertThrows(VerbsException.class, sender::begin);
        assertEquals(rdma_core_h.EINVAL(), early.errno());
        device.connect(sender, receiver);
        TestDevice.put(region, 0, 42);
        sender.begin();
        sender.next().write(1, remote.remoteAddress(), remote.rkey()).element(region, 0, 8).signaled();
        assertEquals(1, sender.complete());
        device.expect(queue, 1, SUCCESS);
        TestDevice.await(() -> TestDevice.get(remote, 0) == 42);
        assertEquals(42, TestDevice.get(remote, 0));
    }

    @Test
    @Needs(Need.UNRELIABLE_DATAGRAMS)
    void whatTheTypeCannotDoIsRefusedByName() {
        VerbsException failed = assertThrows(VerbsException.class,
                () -> device.domain.createExtendedQueuePair(
                        TestDevice.options(QueuePairType.UNRELIABLE_DATAGRAM, queue), EnumSet.of(SendOperation.WRITE)));
        assertEquals(rdma_core_h.EOPNOTSUPP(), failed.errno());
        assertTrue(failed.getMessage().contains("operations=[WRITE]"), failed.getMessage());
    }
}
