package dev.verbena.testing;

import static dev.verbena.testing.FabricPair.assertZero;
import static dev.verbena.transfer.spi.CompletionStatus.LOCAL_LENGTH_ERROR;
import static dev.verbena.transfer.spi.CompletionStatus.LOCAL_PROTECTION_ERROR;
import static dev.verbena.transfer.spi.CompletionStatus.REMOTE_ACCESS_ERROR;
import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static dev.verbena.transfer.spi.CompletionStatus.WORK_REQUEST_FLUSHED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/** Bounds, rights and keys: every access is checked. */
interface AccessContract extends FabricFixture {
    /** Those that access the peer's memory, as far as the fabric has them. */
    private List<Opcode> remote() {
        return withoutLacking(Opcode.WRITE, Opcode.WRITE_WITH_IMMEDIATE, Opcode.READ, Opcode.FETCH_AND_ADD,
                Opcode.COMPARE_AND_SWAP);
    }

    private List<Opcode> withoutLacking(Opcode... opcodes) {
        boolean hasAtomics = openFabric().capabilities().hasAtomics();
        return Stream.of(opcodes).filter(opcode -> hasAtomics || !opcode.isAtomic()).toList();
    }

    /** A request of 8 bytes of the opcode must fail so, on fresh queue pairs, and change nothing. */
    private void assertRefused(Opcode opcode, long remoteOffset, long keyChange, CompletionStatus status) {
        FabricPair pair = connect();
        pair.target.postReceive(31, 0, 64);
        pair.initiator.fill(0, 8, 1);
        WorkRequest request = pair.initiator.request(1, opcode, 0, 8, pair.target, remoteOffset);
        request.rkey += keyChange;
        request.compareOrAdd = opcode == Opcode.COMPARE_AND_SWAP ? 0 : 7;
        request.swap = 9;
        Done done = pair.run(request, status);
        assertTrue(done.cause().contains("target"), done.cause());
        assertZero(pair.target, 0, FabricSide.REGION_BYTE_SIZE);
        assertEquals(QueuePair.State.ERROR, pair.initiator.queuePair().state());
        pair.next(pair.target, 31, WORK_REQUEST_FLUSHED);
        pair.close();
    }

    @Test
    default void accessBeforeTheRegionIsRefused() {
        for (Opcode opcode : remote()) {
            assertRefused(opcode, -8, 0, REMOTE_ACCESS_ERROR);
        }
        assertRefused(Opcode.WRITE, -1, 0, REMOTE_ACCESS_ERROR);
    }

    @Test
    default void accessPastTheRegionIsRefused() {
        for (Opcode opcode : remote()) {
            assertRefused(opcode, FabricSide.REGION_BYTE_SIZE, 0, REMOTE_ACCESS_ERROR);
        }
        assertRefused(Opcode.WRITE, FabricSide.REGION_BYTE_SIZE - 7, 0, REMOTE_ACCESS_ERROR);
        assertRefused(Opcode.READ, FabricSide.REGION_BYTE_SIZE - 1, 0, REMOTE_ACCESS_ERROR);
    }

    @Test
    default void anUnknownKeyIsRefused() {
        for (Opcode opcode : remote()) {
            assertRefused(opcode, 0, 1 << 20, REMOTE_ACCESS_ERROR);
        }
        assertRefused(Opcode.WRITE, 0, 1, REMOTE_ACCESS_ERROR);
        assertRefused(Opcode.WRITE, 0, 1L << 40, REMOTE_ACCESS_ERROR);
    }

    @Test
    default void addressPlusSizeDoesNotOverflow() {
        FabricPair pair = connect();
        for (long address : new long[]{-1, -8, Long.MAX_VALUE, Long.MIN_VALUE, 0}) {
            FabricPair fresh = connect();
            WorkRequest write = fresh.initiator.request(1, Opcode.WRITE).element(fresh.initiator.region, 0, 64)
                    .remote(address, fresh.target.region.rkey());
            fresh.run(write, REMOTE_ACCESS_ERROR);
            fresh.close();
        }
        pair.run(pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, 0), SUCCESS);
    }

    @Test
    default void theEdgesAreInside() {
        FabricPair pair = connect();
        long last = FabricSide.REGION_BYTE_SIZE - 8;
        pair.initiator.region.memory().set(JAVA_LONG, 0, 77);
        pair.run(pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, last), SUCCESS);
        assertEquals(77, pair.target.region.memory().get(JAVA_LONG, last));
        pair.run(pair.initiator.request(2, Opcode.READ, last, 8, pair.target, last), SUCCESS);
        assertEquals(77, pair.initiator.region.memory().get(JAVA_LONG, last));
        pair.run(pair.initiator.request(3, Opcode.WRITE, 0, FabricSide.REGION_BYTE_SIZE, pair.target, 0), SUCCESS);
        // Nothing is accessed, so there is nothing to refuse: as InfiniBand has it for zero-length requests.
        pair.run(pair.initiator.request(4, Opcode.WRITE, FabricSide.REGION_BYTE_SIZE, 0, pair.target,
                FabricSide.REGION_BYTE_SIZE), SUCCESS);
        pair.run(pair.initiator.request(5, Opcode.READ, 0, 0, pair.target, FabricSide.REGION_BYTE_SIZE), SUCCESS);
    }

    @Test
    default void eachMissingRightIsRefused() {
        assertRightNeeded(Opcode.WRITE, AccessRight.REMOTE_WRITE);
        assertRightNeeded(Opcode.WRITE_WITH_IMMEDIATE, AccessRight.REMOTE_WRITE);
        for (Opcode opcode : withoutLacking(Opcode.FETCH_AND_ADD, Opcode.COMPARE_AND_SWAP)) {
            assertRightNeeded(opcode, AccessRight.REMOTE_ATOMIC);
        }
    }

    /** Apart, for there is a driver that does not look. */
    @Test
    default void aReadWithoutItsRightIsRefused() {
        assertRightNeeded(Opcode.READ, AccessRight.REMOTE_READ);
    }

    private void assertRightNeeded(Opcode opcode, AccessRight right) {
        FabricPair pair = connect();
        pair.target.postReceive(31, 0, 0);
        pair.target.postReceive(32, 0, 0);
        EnumSet<AccessRight> only = EnumSet.of(AccessRight.LOCAL_WRITE, right);
        MemoryRegion allowed = pair.target.fabric.register(4096, only);
        WorkRequest request = pair.initiator.request(1, opcode).element(pair.initiator.region, 0, 8)
                .remote(allowed.address(), allowed.rkey());
        pair.run(request, SUCCESS);
        EnumSet<AccessRight> others = EnumSet.allOf(AccessRight.class);
        others.remove(right);
        MemoryRegion refused = pair.target.fabric.register(4096, others);
        pair.initiator.fill(0, 8, 1);
        Done done = pair.run(request.remote(refused.address(), refused.rkey()), REMOTE_ACCESS_ERROR);
        assertTrue(done.cause().contains(right.name()), done.cause());
        assertEquals(0, refused.memory().get(JAVA_LONG, 0));
        pair.close();
    }

    @Test
    default void aClosedRegionIsRefusedAlsoIfItWasUsedBefore() {
        for (boolean isUsedBefore : new boolean[]{false, true}) {
            FabricPair pair = connect();
            MemoryRegion region = pair.target.fabric.register(4096, EnumSet.allOf(AccessRight.class));
            WorkRequest write = pair.initiator.request(1, Opcode.WRITE).element(pair.initiator.region, 0, 8)
                    .remote(region.address(), region.rkey());
            if (isUsedBefore) {
                pair.run(write, SUCCESS);
            }
            region.close();
            // One that takes its place is not reached by the old key.
            MemoryRegion next = pair.target.fabric.register(4096, EnumSet.allOf(AccessRight.class));
            pair.initiator.fill(0, 8, 5);
            pair.run(write, REMOTE_ACCESS_ERROR);
            assertEquals(0, next.memory().get(JAVA_LONG, 0));
            pair.close();
        }
    }

    @Test
    default void localElementsAreChecked() {
        long end = FabricSide.REGION_BYTE_SIZE;
        long most = openFabric().capabilities().messageByteSizeMax();
        long[][] wrong = {{-1, 8}, {end - 7, 8}, {end, 1}, {Long.MAX_VALUE, 8}, {Long.MIN_VALUE, 8}, {0, end + 1},
                {8, most}};
        for (Opcode opcode : new Opcode[]{Opcode.WRITE, Opcode.READ, Opcode.SEND, Opcode.WRITE_WITH_IMMEDIATE}) {
            for (long[] element : wrong) {
                FabricPair pair = connect();
                pair.target.postReceive(31, 0, 64);
                WorkRequest request = pair.initiator.request(1, opcode, element[0], element[1], pair.target, 0);
                pair.run(request, LOCAL_PROTECTION_ERROR);
                pair.next(pair.target, 31, WORK_REQUEST_FLUSHED);
                pair.close();
            }
        }
    }

    @Test
    default void theSecondLocalElementIsCheckedBeforeTheFirstIsCopied() {
        FabricPair pair = connect();
        pair.initiator.fill(0, 64, 1);
        WorkRequest write = pair.initiator.request(1, Opcode.WRITE, 0, 64, pair.target, 0).element(
                pair.initiator.region, FabricSide.REGION_BYTE_SIZE, 1);
        pair.run(write, LOCAL_PROTECTION_ERROR);
        assertZero(pair.target, 0, 128);
    }

    @Test
    default void localRightsAreChecked() {
        for (Opcode opcode : withoutLacking(Opcode.READ, Opcode.FETCH_AND_ADD, Opcode.COMPARE_AND_SWAP)) {
            FabricPair pair = connect();
            MemoryRegion readOnly = pair.initiator.fabric.register(4096, EnumSet.of(AccessRight.REMOTE_READ));
            pair.target.fill(0, 8, 1);
            WorkRequest request = pair.initiator.request(1, opcode).element(readOnly, 0, 8)
                    .remote(pair.target.region.address(), pair.target.region.rkey());
            pair.run(request, LOCAL_PROTECTION_ERROR);
            assertEquals(0, readOnly.memory().get(JAVA_LONG, 0));
            pair.close();
        }
    }

    @Test
    default void aClosedLocalRegionIsAProtectionError() {
        FabricPair pair = connect();
        MemoryRegion region = pair.initiator.fabric.register(4096, EnumSet.allOf(AccessRight.class));
        region.close();
        WorkRequest write = pair.initiator.request(1, Opcode.WRITE).element(region, 0, 8)
                .remote(pair.target.region.address(), pair.target.region.rkey());
        pair.run(write, LOCAL_PROTECTION_ERROR);
    }

    @Test
    default void aMessageBeyondTheLimitIsALengthError() {
        FabricPair pair = connect();
        long tooMuch = pair.initiator.fabric.capabilities().messageByteSizeMax() + 1;
        pair.run(pair.initiator.request(1, Opcode.WRITE, 0, tooMuch, pair.target, 0), LOCAL_LENGTH_ERROR);
    }
}
