package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_device;
import dev.verbena.verbs.abi.ibv_mr;
import dev.verbena.verbs.abi.ibv_parent_domain_init_attr;
import dev.verbena.verbs.abi.ibv_pd;
import dev.verbena.verbs.abi.ibv_sge;
import dev.verbena.verbs.abi.ibv_td;
import dev.verbena.verbs.abi.ibv_td_init_attr;
import dev.verbena.verbs.abi.rdma_core_h;
import dev.verbena.verbs.abi.verbs_context;
import dev.verbena.verbs.ffi.Availability;

/** Thread domains, parent domains and advice, which no device here has, over a verbs_context that takes down what it is asked. */
class OptionalVerbsTest {
    private static final long GIBIBYTE = 1L << 30;

    // Never freed while an object refers to it: what a driver makes outlives the test.
    private final Arena arena = Arena.ofAuto();
    private final List<String> asked = new ArrayList<>();
    private MemorySegment extended;
    private MemorySegment context;
    private DeviceContext device;
    private ProtectionDomain domain;
    private MemoryRegion region;

    @BeforeEach
    void makeDevice() {
        assumeTrue(Availability.problem() == null, Availability::problem);
        extended = verbs_context.allocate(arena);
        context = verbs_context.context(extended);
        ibv_context.abi_compat(context, MemorySegment.ofAddress(-1));
        ibv_context.device(context, ibv_device.allocate(arena));
        verbs_context.sz(extended, verbs_context.sizeof());
        device = new DeviceContext("stand-in", context, new Provider(""));
        domain = new ProtectionDomain(device, ibv_pd.allocate(arena));
        MemorySegment struct = ibv_mr.allocate(arena);
        ibv_mr.lkey(struct, 77);
        region = new MemoryRegion(domain, struct, MemorySegment.NULL, null, 4 * GIBIBYTE, 0x1000);
    }

    private static String hex(MemorySegment pointer) {
        return Long.toHexString(pointer.address());
    }

    private MemorySegment provideThreadDomains() {
        MemorySegment made = ibv_td.allocate(arena);
        verbs_context.alloc_td(extended, verbs_context.alloc_td.allocate((of, attributes) -> {
            MemorySegment all = attributes.reinterpret(ibv_td_init_attr.sizeof());
            asked.add("alloc_td " + hex(of) + " mask=" + ibv_td_init_attr.comp_mask(all));
            return made;
        }, arena));
        verbs_context.dealloc_td(extended, verbs_context.dealloc_td.allocate(td -> {
            asked.add("dealloc_td " + hex(td));
            return 0;
        }, arena));
        return made;
    }

    @Test
    void aThreadDomainIsAllocatedAndFreed() {
        MemorySegment made = provideThreadDomains();
        ThreadDomain threadDomain = device.allocateThreadDomain();
        assertEquals(List.of("alloc_td " + hex(context) + " mask=0"), asked);
        threadDomain.close();
        assertEquals("dealloc_td " + hex(made), asked.get(1));
    }

    @Test
    void aParentDomainNamesBoth() {
        MemorySegment thread = provideThreadDomains();
        verbs_context.alloc_parent_domain(extended, verbs_context.alloc_parent_domain.allocate((of, attributes) -> {
            MemorySegment all = attributes.reinterpret(ibv_parent_domain_init_attr.sizeof());
            asked.add("alloc_parent_domain " + hex(of) + " pd=" + hex(ibv_parent_domain_init_attr.pd(all)) + " td="
                    + hex(ibv_parent_domain_init_attr.td(all)) + " mask="
                    + ibv_parent_domain_init_attr.comp_mask(all));
            return ibv_pd.allocate(arena);
        }, arena));
        ThreadDomain threadDomain = device.allocateThreadDomain();
        ProtectionDomain parent = domain.allocateParentDomain(threadDomain);
        String wanted = "alloc_parent_domain " + hex(context) + " pd=" + hex(domain.pointer()) + " td=" + hex(thread)
                + " mask=0";
        assertEquals(wanted, asked.getLast());
        ProtectionDomain second = parent.allocateParentDomain(threadDomain);
        assertEquals(wanted, asked.getLast(), "of the protection domain, as a parent domain has no parents");

        parent.requireOwn(domain, region);
        domain.requireOwn(parent, region);
        second.requireOwn(parent, region);
        ProtectionDomain other = new ProtectionDomain(device, ibv_pd.allocate(arena));
        assertThrows(IllegalArgumentException.class, () -> parent.requireOwn(other, region));
        for (VerbsObject needed : List.of(threadDomain, domain)) {
            String message = assertThrows(IllegalStateException.class, needed::close).getMessage();
            assertTrue(message.contains("parent domain of protection domain of device stand-in"), message);
        }
    }

    @Test
    void adviceNamesRangesOfThirtyTwoBits() {
        verbs_context.advise_mr(extended, verbs_context.advise_mr.allocate((pd, advice, flags, elements, count) -> {
            asked.add("advise_mr " + hex(pd) + " advice=" + advice + " flags=" + flags);
            MemorySegment all = elements.reinterpret(count * ibv_sge.sizeof());
            for (int i = 0; i < count; i++) {
                MemorySegment element = ibv_sge.asSlice(all, i);
                asked.add(Long.toHexString(ibv_sge.addr(element)) + "+" + ibv_sge.length(element) + " lkey="
                        + ibv_sge.lkey(element));
            }
            return 0;
        }, arena));
        region.advise(MemoryAdvice.PREFETCH_WRITE, 0x500, 2 * GIBIBYTE + 5, true);
        assertEquals(List.of("advise_mr " + hex(domain.pointer()) + " advice=1 flags=1", "1500+1073741824 lkey=77",
                "40001500+1073741824 lkey=77", "80001500+5 lkey=77"), asked);
        asked.clear();
        region.advise(MemoryAdvice.PREFETCH, 0, 1, false);
        region.advise(MemoryAdvice.PREFETCH_NO_FAULT, 0, 1, false);
        assertEquals(List.of("advise_mr " + hex(domain.pointer()) + " advice=0 flags=0", "1000+1 lkey=77",
                "advise_mr " + hex(domain.pointer()) + " advice=2 flags=0", "1000+1 lkey=77"), asked);
        assertThrows(IndexOutOfBoundsException.class,
                () -> region.advise(MemoryAdvice.PREFETCH, 4 * GIBIBYTE, 1, false));
    }

    @Test
    void whatTheProviderRefusesIsSaid() {
        verbs_context.advise_mr(extended, verbs_context.advise_mr
                .allocate((pd, advice, flags, elements, count) -> rdma_core_h.ENOENT(), arena));
        VerbsException refused = assertThrows(VerbsException.class,
                () -> region.advise(MemoryAdvice.PREFETCH, 8, 16, true));
        assertEquals(rdma_core_h.ENOENT(), refused.errno());
        assertTrue(refused.getMessage().contains("advice=PREFETCH, offset=8, bytes=16"), refused.getMessage());
        verbs_context.alloc_td(extended,
                verbs_context.alloc_td.allocate((of, attributes) -> MemorySegment.NULL, arena));
        assertEquals("ibv_alloc_td", assertThrows(VerbsException.class, device::allocateThreadDomain).verb());
    }

    @Test
    void aProviderWithoutThemIsSaidByName() {
        assertNotSupported("ibv_alloc_td", assertThrows(VerbsException.class, device::allocateThreadDomain));
        assertNotSupported("ibv_advise_mr",
                assertThrows(VerbsException.class, () -> region.advise(MemoryAdvice.PREFETCH, 0, 1, true)));
        provideThreadDomains();
        ThreadDomain threadDomain = device.allocateThreadDomain();
        assertNotSupported("ibv_alloc_parent_domain",
                assertThrows(VerbsException.class, () -> domain.allocateParentDomain(threadDomain)));
        threadDomain.close();
    }

    private static void assertNotSupported(String verb, VerbsException refused) {
        assertEquals(verb, refused.verb());
        assertEquals(rdma_core_h.EOPNOTSUPP(), refused.errno());
        assertTrue(refused.getMessage().contains("the device's provider does not have it"), refused.getMessage());
    }

    @Test
    void allOfTheAddressSpaceNeedsImplicitOnDemandPaging() {
        verbs_context.query_device_ex(extended, verbs_context.query_device_ex
                .allocate((of, input, attributes, byteSize) -> 0, arena));
        VerbsException refused = assertThrows(VerbsException.class,
                () -> domain.registerAddressSpace(EnumSet.of(AccessFlag.LOCAL_WRITE)));
        assertEquals(rdma_core_h.EOPNOTSUPP(), refused.errno());
        assertTrue(refused.getMessage().contains("the device has no implicit on-demand paging"), refused.getMessage());
    }
}
