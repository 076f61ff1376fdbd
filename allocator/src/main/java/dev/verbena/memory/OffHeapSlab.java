package dev.verbena.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A slab of anonymous memory.
 *
 * @param lifetime closed to give the memory back
 */
record OffHeapSlab(OffHeapSlabSource source, MemorySegment memory, Arena lifetime, SlabBacking backing)
        implements
            Slab {
    @Override
    public String toString() {
        return "slab " + memory + " " + backing;
    }
}
