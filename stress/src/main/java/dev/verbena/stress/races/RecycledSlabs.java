package dev.verbena.stress.races;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabSource;

/** Slabs of one size that are used again and again: an arena for each try, and no system call for it. */
final class RecycledSlabs implements SlabSource {
    private final SlabSource source = new OffHeapSlabSource();
    private final Queue<Slab> idle = new ConcurrentLinkedQueue<>();
    private final long byteSize;

    RecycledSlabs(long byteSize) {
        this.byteSize = byteSize;
    }

    @Override
    public Slab acquire(long byteSizeMin) {
        if (byteSizeMin > byteSize) {
            throw new IllegalArgumentException(
                    "byteSizeMin=" + byteSizeMin + " exceeds the slabs' byteSize=" + byteSize);
        }
        Slab slab = idle.poll();
        if (slab == null) {
            return source.acquire(byteSize);
        }
        slab.memory().fill((byte) 0);
        return slab;
    }

    @Override
    public void release(Slab slab) {
        idle.add(slab);
    }
}
