package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.rdma_core_h;
import dev.verbena.verbs.ffi.LibC;

/** What some devices have: it works, or it is refused by name. */
class OptionalVerbsOnDevice {
    private final TestDevice device = new TestDevice();
    private final MemoryRegion region = device.region();

    @AfterEach
    void close() {
        device.close();
    }

    /** Null, or the refusal, which must say that the device has none. */
    private static VerbsException refusal(String verb, Runnable call) {
        try {
            call.run();
            return null;
        } catch (VerbsException refused) {
            assertEquals(verb, refused.verb());
            assertEquals(rdma_core_h.EOPNOTSUPP(), refused.errno(), refused.getMessage());
            assertTrue(refused.getMessage().contains(" not have it") || refused.getMessage().contains(" has no "),
                    refused.getMessage());
            return refused;
        }
    }

    @Test
    void aParentDomainIsUsedLikeItsProtectionDomain() {
        VerbsException refused = refusal("ibv_alloc_td", () -> device.keep(device.context.allocateThreadDomain()));
        assumeTrue(refused == null, () -> "no thread domains: " + refused.getMessage());
        ThreadDomain threadDomain = device.keep(device.context.allocateThreadDomain());
        ProtectionDomain parent = device.keep(device.domain.allocateParentDomain(threadDomain));
        CompletionQueue queue = device.queue();
        QueuePair pair = device.keep(parent
                .createQueuePair(QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, queue)));
        QueuePair peer = device.queuePair(QueuePairType.RELIABLE_CONNECTED, queue);
        device.connect(pair, peer);
        SendRequests sends = new SendRequests(1, 1);
        sends.get(0).write(1, region.remoteAddress() + 1024, region.rkey()).element(region, 0, 8).signaled();
        TestDevice.put(region, 0, 42);
        assertEquals(1, pair.post(sends, 0, 1));
        device.expect(queue, 1, WorkCompletionStatus.SUCCESS);
        assertEquals(42, TestDevice.get(region, 1024));
    }

    @Test
    void adviceIsTakenWherePagingIsOnDemand() {
        VerbsException refused = refusal("ibv_advise_mr",
                () -> region.advise(MemoryAdvice.PREFETCH, 0, region.byteSize(), true));
        assumeTrue(refused == null, () -> "no advice: " + refused.getMessage());
    }

    @Test
    void allOfTheAddressSpaceIsOneRegion() {
        VerbsException refused = refusal("ibv_reg_mr",
                () -> device.keep(device.domain.registerAddressSpace(EnumSet.of(AccessFlag.LOCAL_WRITE))));
        assumeTrue(refused == null, () -> "no implicit on-demand paging: " + refused.getMessage());
        MemoryRegion all = device.keep(device.domain.registerAddressSpace(EnumSet.of(AccessFlag.LOCAL_WRITE)));
        CompletionQueue queue = device.queue();
        QueuePair pair = device.queuePair(QueuePairType.RELIABLE_CONNECTED, queue);
        device.connect(pair, device.queuePair(QueuePairType.RELIABLE_CONNECTED, queue));
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(8);
            TestDevice.put(region, 0, 42);
            SendRequests sends = new SendRequests(1, 1);
            sends.get(0).read(1, region.remoteAddress(), region.rkey()).element(all, memory.address(), 8).signaled();
            assertEquals(1, pair.post(sends, 0, 1));
            device.expect(queue, 1, WorkCompletionStatus.SUCCESS);
            assertEquals(42, memory.get(java.lang.foreign.ValueLayout.JAVA_LONG, 0));
        }
    }

    @Test
    void whatAnotherOpeningHasIsImported() {
        int descriptor = device.context.exportDescriptor();
        VerbsException refused = refusal("ibv_import_device", () -> DeviceContext.importFrom(descriptor).close());
        if (refused != null) {
            LibC.close(descriptor);
        }
        assumeTrue(refused == null, () -> "no import: " + refused.getMessage());
        DeviceContext context = device.keep(DeviceContext.importFrom(device.context.exportDescriptor()));
        assertEquals(device.context.name(), context.name());
        ProtectionDomain domain = device.keep(context.importProtectionDomain(device.domain.handle()));
        MemoryRegion imported = device.keep(domain.importRegion(region.handle(), region.remoteAddress()));
        assertEquals(region.lkey(), imported.lkey());
        assertEquals(region.rkey(), imported.rkey());
        assertEquals(region.byteSize(), imported.byteSize());
    }

    @Test
    void anImportOfNothingIsRefused() {
        VerbsException refused = assertThrows(VerbsException.class, () -> DeviceContext.importFrom(-1));
        assertEquals("ibv_import_device", refused.verb());
        assertTrue(refused.getMessage().contains("commandFd=-1"), refused.getMessage());
    }

    /** On a provider that cannot import, importing from one's own opening is refused by the library itself. */
    @Test
    void handlesAreNamedOrRefused() {
        VerbsException refused = refusal("ibv_import_pd",
                () -> device.keep(device.context.importProtectionDomain(device.domain.handle())));
        assumeTrue(refused == null, () -> "no import of protection domains: " + refused.getMessage());
        assertTrue(region.handle() >= 0);
    }

    @Test
    void aRegionIsImportedOrRefused() {
        VerbsException refused = refusal("ibv_import_mr",
                () -> device.keep(device.domain.importRegion(region.handle(), region.remoteAddress())));
        assumeTrue(refused == null, () -> "no import of regions: " + refused.getMessage());
    }
}
