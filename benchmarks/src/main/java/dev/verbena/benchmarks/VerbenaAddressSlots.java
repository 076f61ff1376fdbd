package dev.verbena.benchmarks;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.TensorArena;

/** Verbena's memory by address, without an object for it. */
final class VerbenaAddressSlots implements Slots {
    private final TensorArena arena;
    private final long[] byteSizes;
    private final long[] addresses;

    VerbenaAddressSlots(Workload workload, int slotCount) {
        arena = TensorArena.create(new OffHeapSlabSource(), workload.regionByteSize(), workload.regionByteSize());
        byteSizes = workload.byteSizes();
        addresses = new long[slotCount];
    }

    @Override
    public void allocate(int slot, int request) {
        addresses[slot] = arena.allocateAddress(byteSizes[request]);
    }

    @Override
    public void free(int slot) {
        arena.freeAddress(addresses[slot]);
    }

    @Override
    public void close() {
        arena.close();
    }
}
