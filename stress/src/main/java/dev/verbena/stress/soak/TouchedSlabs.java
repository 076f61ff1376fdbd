package dev.verbena.stress.soak;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabSource;

/** Slabs all of whose pages are there from the start: what of the process is resident beyond them is then a plain difference. */
final class TouchedSlabs implements SlabSource {
    private static final long PAGE_BYTE_SIZE = 4096;

    private final SlabSource source;

    TouchedSlabs(SlabSource source) {
        this.source = source;
    }

    @Override
    public Slab acquire(long byteSizeMin) {
        Slab slab = source.acquire(byteSizeMin);
        MemorySegment memory = slab.memory();
        for (long offset = 0; offset < memory.byteSize(); offset += PAGE_BYTE_SIZE) {
            memory.set(ValueLayout.JAVA_BYTE, offset, (byte) 0);
        }
        return slab;
    }

    @Override
    public void release(Slab slab) {
        source.release(slab);
    }
}
