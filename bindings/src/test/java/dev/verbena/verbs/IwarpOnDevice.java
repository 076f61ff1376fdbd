package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.WORK_REQUEST_FLUSHED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What becomes on iWARP of what the peer refuses: a write has succeeded when it is sent, so that no completion of it tells;
 * the connection ends, what is posted is flushed, and no byte has changed.
 */
@Needs(Need.IWARP)
class IwarpOnDevice {
    private static final Set<AccessFlag> ALL = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ);

    private LoopbackPair pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED);

    @AfterEach
    void close() {
        pair.close();
    }

    private void remake(Set<AccessFlag> access) {
        pair.close();
        pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED, access, UnaryOperator.identity());
    }

    private long address() {
        return pair.target.region.remoteAddress();
    }

    @Test
    void aWriteWithAWrongRkey() {
        pair.request().write(1, address(), pair.target.region.rkey() ^ 0x100);
        expectTheEnd();
    }

    @Test
    void aWriteThatEndsBehindTheRegion() {
        pair.request().write(1, address() + LoopbackPair.REGION_BYTE_SIZE - 7, pair.target.region.rkey());
        expectTheEnd();
    }

    @Test
    void aWriteToARegionThatPeersMayNotWrite() {
        remake(EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ));
        pair.request().write(1, address(), pair.target.region.rkey());
        expectTheEnd();
    }

    @Test
    void aWriteToARegionOfAnotherProtectionDomain() {
        try (ProtectionDomain other = pair.context.allocateProtectionDomain();
                MemoryRegion region = other.allocate(4096, ALL)) {
            pair.request().write(1, region.remoteAddress(), region.rkey());
            expectTheEnd();
            assertEquals(0, Bytes.sum(region.memory()));
        }
    }

    @Test
    void aSendWithoutAReceive() {
        pair.request().send(1).element(pair.initiator.region, 0, 8);
        pair.post();
        pair.expectState(pair.target.queuePair, QueuePairState.ERROR);
        pair.expectState(pair.initiator.queuePair, QueuePairState.ERROR);
    }

    /** Unsignaled, so that the success of what is only sent is not reported. */
    private void expectTheEnd() {
        pair.initiator.region.memory().fill((byte) 1);
        pair.initiator.receive(31, 0, 8);
        pair.target.receive(32, 0, 8);
        pair.request().element(pair.initiator.region, 0, 8);
        pair.post();
        pair.target.expect(32, WORK_REQUEST_FLUSHED);
        pair.expectState(pair.target.queuePair, QueuePairState.ERROR);
        pair.expectState(pair.initiator.queuePair, QueuePairState.ERROR);
        assertEquals(0, Bytes.sum(pair.target.region.memory()));
        assertEquals(LoopbackPair.REGION_BYTE_SIZE, Bytes.sum(pair.initiator.region.memory()));
    }

    @Test
    void whatTheDeviceDoesNotHaveIsRefusedWhenItIsPosted() {
        pair.request().writeWithImmediate(1, address(), pair.target.region.rkey(), 1)
                .element(pair.initiator.region, 0, 8);
        if (!TestDevice.has(Need.IMMEDIATES)) {
            assertEquals(22, assertThrows(VerbsException.class, pair::post).errno());
        }
        pair.request().fetchAndAdd(1, address(), pair.target.region.rkey(), 1).element(pair.initiator.region, 0, 8);
        if (!TestDevice.has(Need.ATOMICS)) {
            assertEquals(22, assertThrows(VerbsException.class, pair::post).errno());
        }
    }
}
