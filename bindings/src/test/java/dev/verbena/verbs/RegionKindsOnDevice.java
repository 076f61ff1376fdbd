package dev.verbena.verbs;

import static dev.verbena.verbs.AccessFlag.HUGE_PAGES;
import static dev.verbena.verbs.AccessFlag.LOCAL_WRITE;
import static dev.verbena.verbs.AccessFlag.ON_DEMAND;
import static dev.verbena.verbs.AccessFlag.RELAXED_ORDERING;
import static dev.verbena.verbs.AccessFlag.REMOTE_READ;
import static dev.verbena.verbs.AccessFlag.REMOTE_WRITE;
import static dev.verbena.verbs.AccessFlag.ZERO_BASED;
import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Regions that are registered otherwise than the rest: by offset, on demand, of huge pages, without order. */
class RegionKindsOnDevice {
    private static final Set<AccessFlag> RIGHTS = EnumSet.of(LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);

    private final TestDevice device = new TestDevice();
    private final CompletionQueue queue = device.queue();
    private final CompletionQueue peerQueue = device.queue();
    private final QueuePair pair = device.queuePair(QueuePairType.RELIABLE_CONNECTED, queue);
    private final QueuePair peer = device.queuePair(QueuePairType.RELIABLE_CONNECTED, peerQueue);
    private final SendRequests sends = new SendRequests(1, 1);

    RegionKindsOnDevice() {
        device.connect(pair, peer);
    }

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    @Needs(Need.ZERO_BASED_REGIONS)
    void aZeroBasedOneIsAddressedByOffset() {
        MemoryRegion local = region(ZERO_BASED);
        MemoryRegion remote = region(ZERO_BASED);
        assertEquals(0, remote.remoteAddress());
        travels(local, remote);
    }

    @Test
    void oneOnDemandIsRefusedWhereTheDeviceHasNoPaging() {
        assumeFalse(device.context.queryExtended().hasOnDemandPaging(), "skipped: the device has on-demand paging");
        VerbsException refused = assertThrows(VerbsException.class, () -> region(ON_DEMAND));
        assertEquals("ibv_reg_mr", refused.verb());
        assertTrue(refused.getMessage().contains("ON_DEMAND"), refused.getMessage());
    }

    @Test
    void oneOnDemand() {
        assumeTrue(device.context.queryExtended().hasOnDemandPaging(), "skipped: the device has no on-demand paging");
        Set<OnDemandOperation> operations = device.context.queryExtended().onDemandReliableConnected();
        assumeTrue(operations.containsAll(EnumSet.of(OnDemandOperation.SEND, OnDemandOperation.RECEIVE,
                OnDemandOperation.WRITE, OnDemandOperation.READ)), () -> "skipped: on demand only " + operations);
        travels(region(ON_DEMAND), region(ON_DEMAND));
    }

    /** It tells the device what it would find out itself, and concerns paging alone (ibv_reg_mr(3)). */
    @Test
    void ofHugePagesIsAHint() {
        travels(region(HUGE_PAGES), region(HUGE_PAGES));
    }

    /** What arrives is the same; that it may become visible in another order is not to be seen from here. */
    @Test
    void relaxedOrderingLosesNothing() {
        travels(region(RELAXED_ORDERING), region(RELAXED_ORDERING));
    }

    private MemoryRegion region(AccessFlag kind) {
        Set<AccessFlag> access = EnumSet.copyOf(RIGHTS);
        access.add(kind);
        return device.keep(device.domain.allocate(TestDevice.REGION_BYTE_SIZE, access));
    }

    /** By a write, a send and a read, as sources and as destinations. */
    private void travels(MemoryRegion local, MemoryRegion remote) {
        TestDevice.put(local, 8, 42);
        sends.get(0).write(1, remote.remoteAddress() + 64, remote.rkey()).element(local, 8, 8).signaled();
        post(1);
        TestDevice.receive(peer, 31, remote, 128, 64);
        sends.get(0).send(2).element(local, 8, 8).signaled();
        post(2);
        device.expect(peerQueue, 31, SUCCESS);
        assertEquals(42, TestDevice.get(remote, 64));
        assertEquals(42, TestDevice.get(remote, 128));
        TestDevice.put(remote, 4096, 43);
        sends.get(0).read(3, remote.remoteAddress() + 4096, remote.rkey()).element(local, 256, 8).signaled();
        post(3);
        assertEquals(43, TestDevice.get(local, 256));
    }

    private void post(long id) {
        assertEquals(1, pair.post(sends, 0, 1));
        device.expect(queue, id, SUCCESS);
    }
}
