package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.slab.HugePages;
import dev.verbena.memory.slab.HugePagesTest;
import dev.verbena.memory.slab.MemoryMaps;

/** Slabs of huge pages, as far as this machine has them, and what they are instead. */
class HugeSlabTest {
    private static final long MIB = 1 << 20;
    private static final long HUGE = 2 * MIB;
    private static final Path POOL = Path.of("/sys/kernel/mm/hugepages/hugepages-2048kB");

    @TempDir
    Path folder;

    @Test
    void reservedPagesThatAreNotThereAreReplacedAndTheReasonSaid() throws IOException {
        OffHeapSlabSource source = source(PageKind.RESERVED_HUGE);
        Slab slab = source.acquire((reserved("free_hugepages") + reserved("nr_overcommit_hugepages") + 1) * HUGE);
        SlabBacking backing = slab.backing();
        assertEquals(PageKind.RESERVED_HUGE, backing.asked());
        assertTrue(backing.pages() != PageKind.RESERVED_HUGE, backing.toString());
        String reason = backing.reasons().getFirst();
        assertTrue(reason.contains("MAP_HUGETLB byteSize=" + slab.memory().byteSize() + " errno=12"), reason);
        assertTrue(reason.contains("nr_hugepages=") && reason.contains("sysctl vm.nr_hugepages=N"), reason);
        assertTrue(slab.toString().contains("asked=RESERVED_HUGE") && slab.toString().contains(reason));
        source.release(slab);
        assertEquals(0, source.heldByteSize());
    }

    /** Where the administrator has reserved some; elsewhere there is nothing to show. */
    @Test
    void reservedPagesThatAreThereAreTaken() throws IOException {
        long free = unreserved();
        assumeTrue(free >= 4, "needs 4 reserved huge pages: sysctl vm.nr_hugepages");
        OffHeapSlabSource source = source(PageKind.RESERVED_HUGE);
        Slab slab = source.acquire(3 * HUGE + 1);
        assertEquals(new SlabBacking(PageKind.RESERVED_HUGE, PageKind.RESERVED_HUGE, SlabOptions.ANY_NODE, List.of()),
                slab.backing());
        assertEquals(4 * HUGE, slab.memory().byteSize());
        assertEquals(HUGE, MemoryMaps.byteSizeOf("KernelPageSize", slab.memory().address()));
        assertEquals(4, free - unreserved());
        assertEquals(HUGE * 4, MemoryMaps.byteSizeOf("Private_Hugetlb", slab.memory().address()), "committed at once");
        slab.memory().fill((byte) 1);
        source.release(slab);
        assertEquals(free, unreserved());
    }

    @Test
    void transparentPagesReallyCome() throws IOException {
        assumeTrue(HugePages.SYSTEM.transparentRefusal() == null, "needs transparent huge pages");
        OffHeapSlabSource source = new OffHeapSlabSource(
                SlabOptions.defaults().withPages(PageKind.TRANSPARENT_HUGE).withPrefaultThreads(2));
        Slab slab = source.acquire(64 * MIB - 1);
        assertEquals("pages=TRANSPARENT_HUGE asked=TRANSPARENT_HUGE numaNode=any", slab.backing().toString());
        assertEquals(64 * MIB, slab.memory().byteSize());
        assertEquals(0, slab.memory().address() % HUGE);
        assertTrue(MemoryMaps.byteSizeOf("AnonHugePages", slab.memory().address()) >= HUGE);
        source.release(slab);
    }

    /** So that the test above shows what asking did. */
    @Test
    void unaskedTheyDoNotCome() throws IOException {
        assumeTrue(Files.readString(Path.of("/sys/kernel/mm/transparent_hugepage/enabled")).contains("[madvise]"),
                "the system gives huge pages to everybody, or to nobody");
        OffHeapSlabSource source = new OffHeapSlabSource(SlabOptions.defaults().withPrefaultThreads(2));
        Slab slab = source.acquire(64 * MIB);
        assertEquals(0, MemoryMaps.byteSizeOf("AnonHugePages", slab.memory().address()));
        source.release(slab);
    }

    @Test
    void transparentPagesThatAreSwitchedOffAreNotPromised() throws IOException {
        HugePages off = HugePagesTest.with(folder, "always madvise [never]");
        OffHeapSlabSource source = new OffHeapSlabSource(
                SlabOptions.defaults().withPages(PageKind.TRANSPARENT_HUGE), off);
        Slab slab = source.acquire(10_000);
        assertEquals(PageKind.PLAIN, slab.backing().pages());
        assertEquals(List.of(off.transparentRefusal()), slab.backing().reasons());
        assertEquals(12_288, slab.memory().byteSize());
        source.release(slab);
    }

    @Test
    void eachStepDownHasItsReason() throws IOException {
        HugePages off = HugePagesTest.with(folder, "always madvise [never]");
        OffHeapSlabSource source = new OffHeapSlabSource(SlabOptions.defaults().withPages(PageKind.RESERVED_HUGE), off);
        Slab slab = source.acquire((reserved("free_hugepages") + reserved("nr_overcommit_hugepages") + 1) * HUGE);
        assertEquals(PageKind.PLAIN, slab.backing().pages());
        assertEquals(2, slab.backing().reasons().size(), slab.toString());
        source.release(slab);
    }

    @ParameterizedTest
    @EnumSource
    void whatIsTooLargeIsRefusedClearly(PageKind pages) {
        OffHeapSlabSource source = source(pages);
        for (long byteSize : new long[]{0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> source.acquire(byteSize));
        }
        String message = assertThrows(OutOfArenaMemoryException.class, () -> source.acquire(1L << 56)).getMessage();
        assertTrue(message.contains("errno=12"), message);
        assertThrows(OutOfArenaMemoryException.class, () -> source.acquire(Long.MAX_VALUE - 2 * HUGE));
        assertEquals(0, source.heldByteSize());
    }

    @ParameterizedTest
    @EnumSource
    void anArenaStandsOnThemAndItsTensorsTell(PageKind pages) {
        OffHeapSlabSource source = source(pages);
        try (TensorArena arena = TensorArena.create(source, 0, 8 * MIB)) {
            try (Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(5 * MIB))) {
                tensor.memory().fill((byte) 1);
                assertEquals(pages, tensor.slab().backing().asked());
                assertTrue(arena.isConsistent());
            }
        }
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void aSourceThatDoesNotSayIsSaidNotTo() {
        Slab slab = () -> null;
        assertTrue(slab.backing().toString().contains("does not say"), slab.backing().toString());
        OffHeapSlabSource plain = new OffHeapSlabSource();
        Slab known = plain.acquire(1);
        assertEquals("pages=PLAIN asked=PLAIN numaNode=any", known.backing().toString());
        plain.release(known);
        assertNull(slab.memory());
    }

    private static OffHeapSlabSource source(PageKind pages) {
        return new OffHeapSlabSource(SlabOptions.defaults().withPages(pages));
    }

    private static long unreserved() throws IOException {
        return reserved("free_hugepages") - reserved("resv_hugepages");
    }

    private static long reserved(String what) throws IOException {
        Path file = POOL.resolve(what);
        return Files.exists(file) ? Long.parseLong(Files.readString(file).strip()) : 0;
    }
}
