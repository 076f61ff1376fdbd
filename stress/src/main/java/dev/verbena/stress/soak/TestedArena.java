package dev.verbena.stress.soak;

import java.util.concurrent.atomic.LongAdder;

import dev.verbena.memory.ArenaStatistics;
import dev.verbena.memory.SlabSource;
import dev.verbena.memory.TensorArena;

/** An arena, and how many blocks of it the threads have. */
final class TestedArena {
    final TensorArena arena;
    private final String name;
    private final long byteSizeMax;
    private final LongAdder held = new LongAdder();

    TestedArena(String name, SlabSource source, long byteSize, long byteSizeMax) {
        this.name = name;
        this.byteSizeMax = byteSizeMax;
        arena = TensorArena.create(source, byteSize, byteSizeMax);
    }

    void gave() {
        held.increment();
    }

    void gotBack() {
        held.decrement();
    }

    /** Exact only while no thread is at work. */
    long heldCount() {
        return held.sum();
    }

    /** At any time, whatever others do; returns how many blocks were ever handed out. */
    long check() {
        SoakFailure.unless(arena.isConsistent(), () -> this + " is not consistent");
        ArenaStatistics now = arena.statistics();
        SoakFailure.unless(
                now.slabByteSize() <= byteSizeMax && now.liveByteSize() + now.freeByteSize() == now.slabByteSize()
                        && now.liveByteSize() >= 0 && now.liveByteSize() <= now.livePeakByteSize()
                        && now.largestFreeRunByteSize() <= now.freeByteSize()
                        && now.liveCount() <= now.allocationCount(),
                () -> this + " has figures that do not agree: " + now);
        return now.allocationCount();
    }

    /** While no thread is at work: nothing was lost. */
    void checkQuiet() {
        check();
        ArenaStatistics now = arena.statistics();
        SoakFailure.unless(now.liveCount() == heldCount(), () -> this + " has liveCount=" + now.liveCount()
                + " but the threads have " + heldCount());
        if (now.liveCount() == 0) {
            SoakFailure.unless(now.liveByteSize() == 0 && now.freeRunCount() == now.slabCount(),
                    () -> this + " has nothing live but is not whole: " + now);
        }
    }

    /** Whether it could be closed: refuses as long as a block is live; no allocation works afterwards. */
    boolean tryClose() {
        try {
            arena.close();
        } catch (IllegalStateException _) {
            return false;
        }
        arena.close();
        SoakFailure.unlessRefused(() -> arena.allocateAddress(1), () -> "allocation in the closed " + this);
        return true;
    }

    @Override
    public String toString() {
        return name + " " + arena;
    }
}
