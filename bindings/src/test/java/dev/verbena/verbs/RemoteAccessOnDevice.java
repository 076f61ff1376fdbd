package dev.verbena.verbs;

import static dev.verbena.verbs.AccessFlag.LOCAL_WRITE;
import static dev.verbena.verbs.AccessFlag.REMOTE_ATOMIC;
import static dev.verbena.verbs.AccessFlag.REMOTE_READ;
import static dev.verbena.verbs.AccessFlag.REMOTE_WRITE;
import static dev.verbena.verbs.WorkCompletionStatus.REMOTE_ACCESS_ERROR;
import static dev.verbena.verbs.WorkCompletionStatus.REMOTE_INVALID_REQUEST;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the peer's side refuses: the initiator is told, its queue pair is in ERROR, and no byte of the target changed. */
@Needs(Need.ACKNOWLEDGEMENTS)
class RemoteAccessOnDevice {
    private static final int BYTE_SIZE = 64;

    private LoopbackPair pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED);

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void aWriteWithAWrongRkey() {
        pair.request().write(1, address(), pair.target.region.rkey() ^ 0x100);
        expectRefusal(REMOTE_ACCESS_ERROR);
    }

    @Test
    void aReadWithAWrongRkey() {
        pair.request().read(1, address(), pair.target.region.rkey() ^ 0x100);
        expectRefusal(REMOTE_ACCESS_ERROR);
    }

    @Test
    @Needs(Need.ATOMICS)
    void anAtomicWithAWrongRkey() {
        pair.request().fetchAndAdd(1, address(), pair.target.region.rkey() ^ 0x100, 1);
        expectRefusal(REMOTE_ACCESS_ERROR, 8);
    }

    @Test
    void aWriteThatBeginsBeforeTheRegion() {
        pair.request().write(1, address() - 1, pair.target.region.rkey());
        expectRefusal(REMOTE_ACCESS_ERROR);
    }

    @Test
    void aWriteThatEndsBehindTheRegion() {
        pair.request().write(1, address() + LoopbackPair.REGION_BYTE_SIZE - BYTE_SIZE + 1, pair.target.region.rkey());
        expectRefusal(REMOTE_ACCESS_ERROR);
    }

    @Test
    void aReadThatEndsBehindTheRegion() {
        pair.request().read(1, address() + LoopbackPair.REGION_BYTE_SIZE - BYTE_SIZE + 1, pair.target.region.rkey());
        expectRefusal(REMOTE_ACCESS_ERROR);
    }

    @Test
    @Needs(Need.ATOMICS)
    void anAtomicBehindTheRegion() {
        pair.request().compareAndSwap(1, address() + LoopbackPair.REGION_BYTE_SIZE, pair.target.region.rkey(), 0, 1);
        expectRefusal(REMOTE_ACCESS_ERROR, 8);
    }

    @Test
    void aWriteToARegionThatPeersMayNotWrite() {
        remake(EnumSet.of(LOCAL_WRITE, REMOTE_READ, REMOTE_ATOMIC));
        pair.request().write(1, address(), pair.target.region.rkey());
        expectRefusal(REMOTE_ACCESS_ERROR);
    }

    @Test
    void aReadOfARegionThatPeersMayNotRead() {
        remake(EnumSet.of(LOCAL_WRITE, REMOTE_WRITE, REMOTE_ATOMIC));
        pair.request().read(1, address(), pair.target.region.rkey());
        expectRefusal(REMOTE_ACCESS_ERROR);
    }

    @Test
    @Needs(Need.ATOMICS)
    void anAtomicOnARegionWithoutAtomics() {
        remake(EnumSet.of(LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ));
        pair.request().fetchAndAdd(1, address(), pair.target.region.rkey(), 1);
        expectRefusal(REMOTE_ACCESS_ERROR, 8);
    }

    @Test
    void aWriteThatTheQueuePairDoesNotAccept() {
        accept(EnumSet.of(REMOTE_READ, REMOTE_ATOMIC));
        pair.request().write(1, address(), pair.target.region.rkey());
        expectRefusal(REMOTE_INVALID_REQUEST);
    }

    @Test
    void aReadThatTheQueuePairDoesNotAccept() {
        accept(EnumSet.of(REMOTE_WRITE, REMOTE_ATOMIC));
        pair.request().read(1, address(), pair.target.region.rkey());
        expectRefusal(REMOTE_INVALID_REQUEST);
    }

    @Test
    @Needs(Need.ATOMICS)
    void anAtomicThatTheQueuePairDoesNotAccept() {
        accept(EnumSet.of(REMOTE_WRITE, REMOTE_READ));
        pair.request().fetchAndAdd(1, address(), pair.target.region.rkey(), 1);
        expectRefusal(REMOTE_INVALID_REQUEST, 8);
    }

    @Test
    void aWriteToARegionThatWasClosed() {
        long address = address();
        int rkey = pair.target.region.rkey();
        pair.target.region.close();
        pair.request().write(1, address, rkey).element(pair.initiator.region, 0, BYTE_SIZE).signaled();
        pair.post();
        pair.initiator.expect(1, REMOTE_ACCESS_ERROR);
    }

    @Test
    void aWriteToARegionOfAnotherProtectionDomain() {
        try (ProtectionDomain other = pair.context.allocateProtectionDomain();
                MemoryRegion region = other.allocate(4096, EnumSet.of(LOCAL_WRITE, REMOTE_WRITE))) {
            pair.request().write(1, region.remoteAddress(), region.rkey());
            expectRefusal(REMOTE_ACCESS_ERROR);
            assertEquals(0, Bytes.sum(region.memory()));
        }
    }

    private long address() {
        return pair.target.region.remoteAddress();
    }

    private void remake(Set<AccessFlag> access) {
        pair.close();
        pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED, access, UnaryOperator.identity());
    }

    /** From now on the target takes these operations only. */
    private void accept(Set<AccessFlag> access) {
        pair.target.queuePair.modify(new QueuePairAttributes().access(access));
    }

    private void expectRefusal(WorkCompletionStatus status) {
        expectRefusal(status, BYTE_SIZE);
    }

    private void expectRefusal(WorkCompletionStatus status, int byteSize) {
        pair.initiator.region.memory().fill((byte) 1);
        pair.request().element(pair.initiator.region, 0, byteSize).signaled();
        pair.post();
        pair.initiator.expect(1, status);
        assertEquals(QueuePairState.ERROR, pair.initiator.queuePair.state());
        assertEquals(0, Bytes.sum(pair.target.region.memory()));
        assertEquals(LoopbackPair.REGION_BYTE_SIZE, Bytes.sum(pair.initiator.region.memory()));
    }
}
