package dev.verbena.memory.heap;

/** Page runs with a mistake each, made on purpose. */
public final class BrokenPageRuns {
    private BrokenPageRuns() {}

    public static PageRuns forgettingToCoalesce() {
        return new PageRuns() {
            @Override
            long merge(long run) {
                return run;
            }
        };
    }

    public static PageRuns splittingAPageTooEarly() {
        return new PageRuns() {
            @Override
            void splitOff(long run, long pages) {
                super.splitOff(run, pages);
                long rest = RunRecord.after(run);
                if (pages > 1 && RunRecord.isFree(rest)) {
                    long pagesOfRest = RunRecord.pageCount(rest);
                    free.remove(rest);
                    long early = RunRecord.at(rest, -1);
                    RunRecord.place(early, RunRecord.slab(run),
                            RunRecord.address(rest) - SizeClasses.PAGE_BYTE_SIZE, RunRecord.room(run),
                            pagesOfRest + 1, pages - 1);
                    RunRecord.become(early, RunRecord.FREE);
                    RunRecord.pageCount(run, pages - 1);
                    free.insert(early);
                }
            }
        };
    }

    public static PageRuns losingTheRestOfASplit() {
        return new PageRuns() {
            @Override
            void splitOff(long run, long pages) {
                super.splitOff(run, pages);
                free.remove(RunRecord.after(run));
            }
        };
    }

    public static PageRuns growingOverTheNextBlock() {
        return new PageRuns() {
            @Override
            boolean grow(long run, long pages) {
                if (super.grow(run, pages)) {
                    RunRecord.pageCount(run, pages + 1);
                    return true;
                }
                return false;
            }
        };
    }

    public static PageRuns keepingWhatABlockGaveUp() {
        return new PageRuns() {
            @Override
            void shrink(long run, long pages) {
                RunRecord.pageCount(run, pages);
            }
        };
    }
}
