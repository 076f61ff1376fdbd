package dev.verbena.transfer.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.NumaNodes;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.PageKind;
import dev.verbena.memory.SlabBacking;
import dev.verbena.memory.SlabOptions;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryRegion;

/** What becomes of the wishes for a region's memory on this fabric. */
class RegionFileTest {
    private static final ShmFiles FILES = ShmFiles.ofEnvironment();
    private static final PeerFiles OWN = PeerFiles.own();
    private static final long HUGE = 2 << 20;
    private static final Path POOL = Path.of("/sys/kernel/mm/hugepages/hugepages-2048kB");

    @ParameterizedTest
    @EnumSource
    void memoryIsSharedWhateverItsPages(PageKind pages) throws PeerFileException {
        RegionFile region = RegionFile.create(FILES, 10_000, SlabOptions.defaults().withPages(pages));
        long byteSize = region.file().memory().byteSize();
        assertTrue(byteSize >= 10_000);
        try (SharedFile file = region.file();
                SharedMapping peer = SharedMapping.mapPeer(OWN, file.identity(), byteSize)) {
            assertEquals(0, peer.memory().get(JAVA_LONG, 4096));
            file.memory().set(JAVA_LONG, 4096, 77);
            assertEquals(77, peer.memory().get(JAVA_LONG, 4096));
        }
        assertEquals(pages, region.backing().asked());
        assertEquals(pages == region.backing().pages(), region.backing().reasons().isEmpty());
    }

    @Test
    void whatThisFabricCannotIsSaid() throws IOException {
        RegionFile transparent = RegionFile.create(FILES, 4096,
                SlabOptions.defaults().withPages(PageKind.TRANSPARENT_HUGE));
        transparent.file().close();
        assertEquals(PageKind.PLAIN, transparent.backing().pages());
        assertTrue(transparent.backing().reasons().getFirst().contains("fabric shm asks for no transparent"));

        long more = (number("free_hugepages") + number("nr_overcommit_hugepages") + 1) * HUGE;
        assumeTrue(more <= 1 << 30, "so many huge pages are reserved here that a plain region of the size is too much");
        RegionFile reserved = RegionFile.create(FILES, more,
                SlabOptions.defaults().withPages(PageKind.RESERVED_HUGE));
        reserved.file().close();
        assertEquals(PageKind.PLAIN, reserved.backing().pages());
        String reason = reserved.backing().reasons().getFirst();
        assertTrue(reason.contains("no reserved huge pages") && reason.contains("errno=12")
                && reason.contains("vm.nr_hugepages"), reason);
    }

    /** Where the administrator has reserved some; elsewhere there is nothing to show. */
    @Test
    void reservedPagesThatAreThereAreTaken() throws IOException {
        long free = number("free_hugepages") - number("resv_hugepages");
        assumeTrue(free >= 2, "needs 2 reserved huge pages: sysctl vm.nr_hugepages");
        RegionFile region = RegionFile.create(FILES, HUGE + 1,
                SlabOptions.defaults().withPages(PageKind.RESERVED_HUGE));
        assertEquals(new SlabBacking(PageKind.RESERVED_HUGE, PageKind.RESERVED_HUGE, SlabOptions.ANY_NODE, List.of()),
                region.backing());
        assertEquals(2 * HUGE, region.file().memory().byteSize());
        assertEquals(2, free - number("free_hugepages") + number("resv_hugepages"));
        region.file().close();
        assertEquals(free, number("free_hugepages"));
    }

    @Test
    void preFaultingReportsAndGivesBackWhenInterrupted() throws IOException {
        AtomicLong last = new AtomicLong();
        SlabOptions options = SlabOptions.defaults().withPrefaultThreads(2)
                .withPrefaultListener((done, byteSize) -> last.set(done));
        try (SharedFile file = RegionFile.create(FILES, 40_000_001, options).file()) {
            assertEquals(file.memory().byteSize(), last.get());
        }
        long descriptors = descriptors();
        Thread caller = Thread.currentThread();
        SlabOptions interrupting = options.withPrefaultListener((done, byteSize) -> caller.interrupt());
        assertThrows(CancellationException.class, () -> RegionFile.create(FILES, 40_000_000, interrupting));
        assertTrue(Thread.interrupted());
        assertEquals(descriptors, descriptors());
    }

    @Test
    void memoryIsBoundToItsNode() throws IOException {
        assumeTrue(!NumaNodes.all().isEmpty(), "needs a kernel with NUMA");
        int node = NumaNodes.all().getLast();
        for (int prefaultThreads : new int[]{0, 1}) {
            SlabOptions options = SlabOptions.defaults().withNumaNode(node).withPrefaultThreads(prefaultThreads);
            try (SharedFile file = RegionFile.create(FILES, 1 << 20, options).file()) {
                String begin = Long.toHexString(file.memory().address()) + " bind:" + node;
                try (var lines = Files.lines(Path.of("/proc/self/numa_maps"))) {
                    assertTrue(lines.anyMatch(line -> line.startsWith(begin)), begin);
                }
            } catch (OutOfArenaMemoryException e) {
                assumeTrue(!e.getMessage().contains("errno=1;"), "this container forbids mbind");
                throw e;
            }
        }
    }

    @Test
    void aWrongNodeLeavesNothingBehind() throws IOException {
        try (Fabric fabric = new ShmFabricProvider().open(NetworkOptions.defaults())) {
            long descriptors = descriptors();
            for (int prefaultThreads : new int[]{0, 1}) {
                SlabOptions options = SlabOptions.defaults().withNumaNode(1023).withPrefaultThreads(prefaultThreads);
                assertThrows(IllegalArgumentException.class,
                        () -> fabric.register(4096, EnumSet.noneOf(AccessRight.class), options));
            }
            assertEquals(0, fabric.registeredByteSize());
            assertEquals(descriptors, descriptors());
        }
    }

    @Test
    void theRegionTells() {
        try (Fabric fabric = new ShmFabricProvider().open(NetworkOptions.defaults());
                MemoryRegion region = fabric.register(4096, EnumSet.noneOf(AccessRight.class),
                        SlabOptions.defaults().withPages(PageKind.TRANSPARENT_HUGE))) {
            assertEquals(PageKind.TRANSPARENT_HUGE, region.backing().asked());
            assertThrows(OutOfArenaMemoryException.class, () -> fabric.register(Long.MAX_VALUE,
                    EnumSet.noneOf(AccessRight.class), SlabOptions.defaults().withPages(PageKind.RESERVED_HUGE)));
        }
    }

    /** Files in shared memory that this process has open. */
    private static long descriptors() throws IOException {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.map(file -> {
                try {
                    return Files.readSymbolicLink(file).toString();
                } catch (IOException e) {
                    return "closed meanwhile";
                }
            }).filter(target -> target.startsWith("/memfd:")).count();
        }
    }

    private static long number(String what) throws IOException {
        Path file = POOL.resolve(what);
        return Files.exists(file) ? Long.parseLong(Files.readString(file).strip()) : 0;
    }
}
