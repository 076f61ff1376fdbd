package dev.verbena.benchmarks;

import java.lang.foreign.Arena;

/** The JDK's own: an arena for each slot, since memory of an arena is freed as a whole. Its memory is zeroed. */
final class ConfinedArenaSlots implements Slots {
    private final long[] byteSizes;
    private final Arena[] arenas;

    ConfinedArenaSlots(Workload workload, int slotCount) {
        byteSizes = workload.byteSizes();
        arenas = new Arena[slotCount];
    }

    @Override
    public void allocate(int slot, int request) {
        Arena arena = Arena.ofConfined();
        arena.allocate(byteSizes[request]);
        arenas[slot] = arena;
    }

    @Override
    public void free(int slot) {
        arenas[slot].close();
    }

    @Override
    public void close() {}
}
