package dev.verbena.memory.slab;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabBacking;
import dev.verbena.memory.SlabSource;

/**
 * A slab of anonymous memory.
 *
 * @param lifetime closed to give the memory back
 *
 * <p><b>Owner:</b> its source. <b>Threading:</b> immutable.
 */
public record OffHeapSlab(SlabSource source, MemorySegment memory, Arena lifetime, SlabBacking backing)
        implements
            Slab {
    @Override
    public String toString() {
        return "slab " + memory + " " + backing;
    }
}
