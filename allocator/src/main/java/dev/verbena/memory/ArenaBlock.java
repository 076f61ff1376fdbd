package dev.verbena.memory;

/**
 * A block of an arena: a slot of a run, or a whole run.
 *
 * <p><b>Owner:</b> the tensor. <b>Threading:</b> as {@link Block}.
 */
final class ArenaBlock extends Block {
    final ArenaHeap heap;
    final PageRun run;
    /** Which slot of the run; 0 of a whole run. */
    final int slot;

    ArenaBlock(ArenaHeap heap, PageRun run, int slot) {
        super(run.slab.slab, run.offset() + (long) slot * run.slotByteSize);
        this.heap = heap;
        this.run = run;
        this.slot = slot;
    }

    @Override
    void release() {
        heap.release(this);
    }
}
