package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An arena that knows where some of its blocks were allocated. */
class SampledSitesTest {
    private static final long MIB = 1024 * 1024;

    private final OffHeapSlabSource source = new OffHeapSlabSource();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void blocksOfAllKindsHaveTheirSiteUntilTheyAreFree(boolean viewsEnd) {
        ArenaOptions options = new ArenaOptions(viewsEnd, 1);
        try (TensorArena arena = TensorArena.create(source, MIB, 64 * MIB, options);
                Arena lifetime = Arena.ofShared()) {
            Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(100));
            Tensor large = arena.tryAllocate(ElementType.UINT8, Shape.of(MIB));
            Tensor aligned = arena.allocate(ElementType.UINT8, Shape.of(100),
                    TensorOptions.defaults().withAlignment(8192));
            Tensor withHeadroom = arena.allocate(ElementType.UINT8, Shape.of(100),
                    TensorOptions.defaults().withHeadroomByteSize(16));
            long address = arena.allocateAddress(1000);
            IterationScope scope = arena.scope(4096);
            scope.allocate(1);
            arena.segmentAllocator(lifetime).allocate(5000);
            LiveReport report = arena.liveReport();
            assertEquals(1, report.siteInterval());
            assertEquals(7, report.liveCount());
            assertEquals(7, report.sites().size(), "each line is a site");
            assertEquals(List.of(MIB, 5000L, 4096L, 1000L, 164L, 100L, 100L),
                    report.sites().stream().map(SiteUsage::liveByteSize).toList());
            for (SiteUsage site : report.sites()) {
                assertEquals(getClass().getName(), site.frames().getFirst().getClassName(), "none of ours");
                assertEquals(1, site.liveCount());
            }
            assertEquals(1, report.sites().stream().mapToDouble(report::share).sum(), 1e-9);
            List.of(tensor, large, aligned, withHeadroom).forEach(Tensor::close);
            arena.freeAddress(address);
            scope.close();
            assertEquals(1, arena.liveReport().sites().size());
        }
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void oneInSoManyIsASample() {
        try (TensorArena arena = TensorArena.create(source, MIB, 64 * MIB,
                ArenaOptions.defaults().withSiteInterval(10))) {
            List<Tensor> tensors = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                tensors.add(arena.allocate(ElementType.UINT8, Shape.of(64)));
            }
            LiveReport report = arena.liveReport();
            assertEquals(10_000, report.liveCount());
            assertEquals(640_000, report.liveByteSize());
            long sampled = report.sites().getFirst().liveCount();
            // Ten standard deviations of 30.
            assertTrue(sampled > 700 && sampled < 1300, () -> "sampled=" + sampled);
            assertEquals(1, report.sites().size());
            assertEquals(1, report.share(report.sites().getFirst()));
            assertEquals(64 * sampled, report.sites().getFirst().liveByteSize());
            tensors.forEach(Tensor::close);
            assertEquals(List.of(), arena.liveReport().sites());
        }
    }

    @Test
    void closingNamesTheSitesWithTheirShare() {
        TensorArena arena = TensorArena.create(source, MIB, MIB, ArenaOptions.defaults().withSiteInterval(1));
        Tensor one = arena.allocate(ElementType.UINT8, Shape.of(300));
        Tensor other = arena.allocate(ElementType.UINT8, Shape.of(100));
        String message = assertThrows(IllegalStateException.class, arena::close).getMessage();
        assertTrue(message.startsWith("close of an arena with live or pinned tensors")
                && message.contains("liveCount=2")
                && message.contains(
                        "; by site:\n75 % liveCount=1 liveByteSize=300 allocated\n    at " + getClass().getName())
                && message.contains("\n25 % "), message);
        one.close();
        other.close();
        arena.close();
        arena.close();
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void withoutTheOptionThereAreNoSites() {
        try (TensorArena arena = TensorArena.create(source, MIB, MIB)) {
            Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(300));
            assertEquals(new LiveReport(1, 320, 0, List.of()), arena.liveReport());
            assertEquals("liveCount=1 liveByteSize=320", arena.liveReport().toString());
            String message = assertThrows(IllegalStateException.class, arena::close).getMessage();
            assertFalse(message.contains("site"), message);
            tensor.close();
        }
    }

    @Test
    void aDebugArenaHasThemAll() {
        try (DebugArena arena = DebugArena.create(source, MIB, MIB)) {
            Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(300));
            LiveReport report = arena.liveReport();
            assertEquals(1, report.siteInterval());
            assertEquals(arena.liveBySite(), report.sites());
            tensor.close();
        }
    }

    /** By several threads, each way of freeing. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 1000})
    void whateverThreadsDoNothingFreeHasASite(int interval) throws Exception {
        for (boolean viewsEnd : new boolean[]{false, true}) {
            try (TensorArena arena = TensorArena.create(source, MIB, 64 * MIB, new ArenaOptions(viewsEnd, interval))) {
                ArenaScript.run(arena, ArenaScript.random(interval, 4, 300));
                assertEquals(new LiveReport(0, 0, interval, List.of()), arena.liveReport());
                assertTrue(arena.isConsistent());
            }
        }
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void aNegativeIntervalIsRefused() {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> ArenaOptions.defaults().withSiteInterval(-1))
                .getMessage().contains("siteInterval=-1"));
    }
}
