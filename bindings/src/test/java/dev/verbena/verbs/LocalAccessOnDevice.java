package dev.verbena.verbs;

import static dev.verbena.verbs.AccessFlag.LOCAL_WRITE;
import static dev.verbena.verbs.AccessFlag.REMOTE_READ;
import static dev.verbena.verbs.WorkCompletionStatus.GENERAL_ERROR;
import static dev.verbena.verbs.WorkCompletionStatus.LOCAL_PROTECTION_ERROR;
import static dev.verbena.verbs.WorkCompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR;
import static dev.verbena.verbs.WorkCompletionStatus.REMOTE_OPERATION_ERROR;
import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What this side's own device refuses of the elements of requests. Soft-RoCE calls a key that names no region of the
 * domain an operation error, and soft-iWARP any, hardware a protection error as any other.
 */
class LocalAccessOnDevice {
    private static final WorkCompletionStatus OUT_OF_BOUNDS = TestDevice.driver() == Driver.SOFT_IWARP
            ? LOCAL_QUEUE_PAIR_OPERATION_ERROR : LOCAL_PROTECTION_ERROR;
    private static final WorkCompletionStatus UNKNOWN_KEY = TestDevice.driver() == Driver.ANOTHER
            ? LOCAL_PROTECTION_ERROR : LOCAL_QUEUE_PAIR_OPERATION_ERROR;

    private final LoopbackPair pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED);

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void aSourceThatEndsBehindItsRegion() {
        writeFrom(pair.initiator.region, LoopbackPair.REGION_BYTE_SIZE - 8, OUT_OF_BOUNDS);
    }

    @Test
    void aSourceThatBeginsBeforeItsRegion() {
        writeFrom(pair.initiator.region, -8, OUT_OF_BOUNDS);
    }

    @Test
    void aSourceInARegionOfAnotherProtectionDomain() {
        try (ProtectionDomain other = pair.context.allocateProtectionDomain();
                MemoryRegion region = other.allocate(4096, Set.of())) {
            writeFrom(region, 0, UNKNOWN_KEY);
        }
    }

    @Test
    void aSourceWhoseRegionWasClosedAfterTheRequestWasFilledIn() {
        MemoryRegion region = pair.domain.allocate(4096, Set.of());
        pair.request().write(1, pair.target.region.remoteAddress(), pair.target.region.rkey()).element(region, 0, 16)
                .signaled();
        region.close();
        pair.post();
        pair.initiator.expect(1, UNKNOWN_KEY);
    }

    @Test
    void anElementOfAClosedRegionIsRefusedAtOnce() {
        MemoryRegion region = pair.domain.allocate(4096, Set.of());
        region.close();
        IllegalStateException refused = assertThrows(IllegalStateException.class,
                () -> pair.request().send(1).element(region, 0, 8));
        assertTrue(refused.getMessage().contains("memory region of bytes=4096"), refused.getMessage());
        assertThrows(IllegalStateException.class,
                () -> pair.initiator.receives.get(0).receive(1).element(region, 0, 8));
    }

    @Test
    void aReadIntoARegionThatMayNotBeWritten() {
        try (MemoryRegion region = pair.domain.allocate(4096, EnumSet.of(REMOTE_READ))) {
            pair.target.region.memory().fill((byte) 1);
            pair.request().read(1, pair.target.region.remoteAddress(), pair.target.region.rkey())
                    .element(region, 0, 16).signaled();
            pair.post();
            pair.initiator.expect(1, LOCAL_PROTECTION_ERROR);
            assertEquals(0, Bytes.sum(region.memory()));
        }
    }

    @Test
    void aReadIntoMoreThanTheRegion() {
        pair.request().read(1, pair.target.region.remoteAddress(), pair.target.region.rkey())
                .element(pair.initiator.region, LoopbackPair.REGION_BYTE_SIZE - 8, 16).signaled();
        pair.post();
        pair.initiator.expect(1, LOCAL_PROTECTION_ERROR);
    }

    @Test
    void aReceiveIntoARegionThatMayNotBeWritten() {
        try (MemoryRegion region = pair.domain.allocate(4096, EnumSet.of(REMOTE_READ))) {
            pair.initiator.region.memory().fill((byte) 1);
            pair.target.receives.get(0).receive(31).element(region, 0, 64);
            assertEquals(1, pair.target.queuePair.post(pair.target.receives, 0, 1));
            pair.request().send(1).element(pair.initiator.region, 0, 16).signaled();
            pair.post();
            pair.initiator.expect(1, TestDevice.has(Need.ACKNOWLEDGEMENTS) ? REMOTE_OPERATION_ERROR : SUCCESS);
            pair.target.expect(31, switch (TestDevice.driver()) {
                case SOFT_ROCE -> LOCAL_QUEUE_PAIR_OPERATION_ERROR;
                case SOFT_IWARP -> GENERAL_ERROR;
                case ANOTHER -> LOCAL_PROTECTION_ERROR;
            });
            assertEquals(0, Bytes.sum(region.memory()));
        }
    }

    @Test
    void writingRightsNeedMemoryThatMayBeWritten() {
        try (MemoryRegion region = pair.domain.register(pair.initiator.region.memory().asReadOnly(), Set.of())) {
            assertEquals(LoopbackPair.REGION_BYTE_SIZE, region.byteSize());
        }
        for (AccessFlag right : EnumSet.of(LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)) {
            assertThrows(IllegalArgumentException.class,
                    () -> pair.domain.register(pair.initiator.region.memory().asReadOnly(), EnumSet.of(right)));
        }
    }

    private void writeFrom(MemoryRegion region, long offset, WorkCompletionStatus status) {
        pair.request().write(1, pair.target.region.remoteAddress(), pair.target.region.rkey())
                .element(region, offset, 16).signaled();
        pair.post();
        pair.initiator.expect(1, status);
        pair.expectState(pair.initiator.queuePair, QueuePairState.ERROR);
        assertEquals(0, Bytes.sum(pair.target.region.memory()));
    }
}
