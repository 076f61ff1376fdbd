package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Function;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.heap.ArenaBlocks;
import dev.verbena.memory.heap.BrokenPageRuns;
import dev.verbena.memory.heap.PageRuns;

/** The properties can fail: run on arenas that are broken on purpose, they find out. */
class BrokenArenaTest {
    private static final long MIB = 1024 * 1024;

    @Test
    void theSoundArenaPasses() {
        assertDoesNotThrow(() -> run(source -> arena(source, new PageRuns()), 1));
    }

    @Test
    void forgettingToCoalesceIsCaught() {
        assertCaught(source -> arena(source, BrokenPageRuns.forgettingToCoalesce()));
    }

    @Test
    void splittingAPageTooEarlyIsCaught() {
        assertCaught(source -> arena(source, BrokenPageRuns.splittingAPageTooEarly()));
    }

    @Test
    void losingTheRestOfASplitIsCaught() {
        assertCaught(source -> arena(source, BrokenPageRuns.losingTheRestOfASplit()));
    }

    @Test
    void aSourceThatHandsOutTheSameSlabTwiceIsCaught() {
        assertCaught(source -> arena(new SlabSource() {
            private Slab only;

            @Override
            public Slab acquire(long byteSizeMin) {
                only = only == null ? source.acquire(MIB) : only;
                return only;
            }

            @Override
            public void release(Slab slab) {}
        }, new PageRuns()));
    }

    @Test
    void growingOverTheNextBlockIsCaught() {
        assertCaught(source -> arena(source, BrokenPageRuns.growingOverTheNextBlock()));
    }

    @Test
    void keepingWhatABlockGaveUpIsCaught() {
        assertCaught(source -> arena(source, BrokenPageRuns.keepingWhatABlockGaveUp()));
    }

    private static TensorArena arena(SlabSource source, PageRuns pages) {
        return new TensorArena(new ArenaBlocks(source, 0, 16 * MIB, pages));
    }

    private static void assertCaught(Function<SlabSource, TensorArena> maker) {
        int caught = 0;
        for (int seed = 1; seed <= 5; seed++) {
            try {
                run(maker, seed);
            } catch (AssertionError | Exception e) {
                caught++;
            }
        }
        assertTrue(caught > 0, "none of 5 seeds found it");
    }

    private static void run(Function<SlabSource, TensorArena> maker, long seed) throws Exception {
        // Not closed: a broken arena may not be able to. Its slabs go with the process. One thread: then the equations are looked at
        // after each step, before what is wrong leads to addresses that are nowhere.
        TensorArena arena = maker.apply(new OffHeapSlabSource());
        ArenaScript.run(arena, ArenaScript.random(seed, 1, 500));
    }
}
