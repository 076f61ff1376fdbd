package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Function;

import org.junit.jupiter.api.Test;

/** The properties can fail: run on arenas that are broken on purpose, they find out. */
class BrokenArenaTest {
    private static final long MIB = 1024 * 1024;

    @Test
    void theSoundArenaPasses() {
        assertDoesNotThrow(() -> run(source -> arena(source, new PageRuns()), 1));
    }

    @Test
    void forgettingToCoalesceIsCaught() {
        assertCaught(source -> arena(source, new PageRuns() {
            @Override
            long merge(long run) {
                return run;
            }
        }));
    }

    @Test
    void splittingAPageTooEarlyIsCaught() {
        assertCaught(source -> arena(source, new PageRuns() {
            @Override
            void splitOff(long run, long pages) {
                super.splitOff(run, pages);
                long rest = RunRecord.after(run);
                if (pages > 1 && RunRecord.isFree(rest)) {
                    long pagesOfRest = RunRecord.pageCount(rest);
                    free.remove(rest);
                    long early = RunRecord.at(rest, -1);
                    RunRecord.place(early, RunRecord.slab(run),
                            RunRecord.address(rest) - SizeClasses.PAGE_BYTE_SIZE, pagesOfRest + 1, pages - 1);
                    RunRecord.become(early, RunRecord.FREE);
                    RunRecord.pageCount(run, pages - 1);
                    free.insert(early);
                }
            }
        }));
    }

    @Test
    void losingTheRestOfASplitIsCaught() {
        assertCaught(source -> arena(source, new PageRuns() {
            @Override
            void splitOff(long run, long pages) {
                super.splitOff(run, pages);
                free.remove(RunRecord.after(run));
            }
        }));
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
        assertCaught(source -> arena(source, new PageRuns() {
            @Override
            boolean grow(long run, long pages) {
                if (super.grow(run, pages)) {
                    RunRecord.pageCount(run, pages + 1);
                    return true;
                }
                return false;
            }
        }));
    }

    @Test
    void keepingWhatABlockGaveUpIsCaught() {
        assertCaught(source -> arena(source, new PageRuns() {
            @Override
            void shrink(long run, long pages) {
                RunRecord.pageCount(run, pages);
            }
        }));
    }

    private static TensorArena arena(SlabSource source, PageRuns pages) {
        return new TensorArena(source, 0, 16 * MIB, pages);
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
