package dev.verbena.transfer.fabric.shm;

import java.lang.foreign.MemorySegment;

import dev.verbena.memory.SlabBacking;

/** Memory of the caller's that is this process's alone: it is copied from, here, and that is all. */
record OrdinaryMemory(MemorySegment memory) implements RegionMemory {
    @Override
    public FileIdentity identity() {
        return null;
    }

    @Override
    public long fileOffset() {
        return 0;
    }

    @Override
    public SlabBacking backing() {
        return SlabBacking.UNSAID;
    }

    @Override
    public void release() {
        // It is the caller's.
    }
}
