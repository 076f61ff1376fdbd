package dev.verbena.benchmarks;

import dev.verbena.memory.TensorArena;
import dev.verbena.testing.trace.UntouchedSlabSource;

/** Verbena's memory by address, without an object for it. Nothing is written to it, so that it need not be there. */
final class VerbenaAddressSlots implements Slots {
    private final TensorArena arena;
    private final long[] byteSizes;
    private final long[] addresses;

    VerbenaAddressSlots(Workload workload, int slotCount) {
        arena = TensorArena.create(new UntouchedSlabSource(), workload.regionByteSize(), workload.regionByteSize());
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
