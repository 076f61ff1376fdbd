package dev.verbena.memory.scope;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

import dev.verbena.memory.heap.ArenaBlocks;

/**
 * What a scope gives out between two ends: the tensors' common fate, and the lifetime of their segments.
 *
 * <pre>
 *   state word   -2^63: ENDED     0: nothing pinned     n: pinned n times, by whichever tensors
 *
 *   state      tryPin     unpin            tryEnd
 *   0          1          -                ENDED, unless a native call uses a segment
 *   n          n + 1      n - 1            refused
 *   ENDED      refused    -                -
 * </pre>
 *
 * <p>{@code unpin} comes once for each {@code tryPin} that was not refused, and {@code tryEnd} under the lock of the owner, so the dashes don't happen.
 *
 * <p><b>Owner:</b> {@code IterationScope}, one at a time. <b>Threading:</b> thread-safe.
 */
public final class Iteration {
    private static final long ENDED = Long.MIN_VALUE;

    /** Its close makes all threads pass a handshake: once per iteration, whatever came of it. */
    private final Arena lifetime = Arena.ofShared();
    private final AtomicLong pins = new AtomicLong();
    private final ArenaBlocks arena;
    /** Where small requests are served; null before the first. Written under the owner's lock. */
    private volatile ScopeMemory shared;

    public Iteration(ArenaBlocks arena) {
        this.arena = arena;
    }

    Arena lifetime() {
        return lifetime;
    }

    /** Of all segments that it gives out. */
    public MemorySegment.Scope scope() {
        return lifetime.scope();
    }

    public ScopeMemory shared() {
        return shared;
    }

    public void share(ScopeMemory memory) {
        shared = memory;
    }

    public boolean isEnded() {
        return pins.get() < 0;
    }

    /** False if it has ended. */
    boolean tryPin() {
        if (!arena.tryPin()) {
            return false;
        }
        if (pins.getAndUpdate(seen -> seen < 0 ? seen : seen + 1) >= 0) {
            return true;
        }
        arena.unpinned();
        return false;
    }

    void unpin() {
        pins.decrementAndGet();
        arena.unpinned();
    }

    /**
     * Returns why it cannot end yet, or null: then every use of what it gave out throws. Pins are counted first, so that none comes
     * between; who uses a tensor just when a native call turns out to be in the way may be told of an end that does not come.
     *
     * @throws RuntimeException what a cleanup of its user's throws; it has ended nevertheless
     */
    public String tryEnd() {
        if (!pins.compareAndSet(0, ENDED)) {
            return "its tensors are pinned, pins=" + pins.get() + "; unpin them first, or give a deadline";
        }
        try {
            lifetime.close();
            return null;
        } catch (IllegalStateException e) {
            if (!lifetime.scope().isAlive()) {
                throw e;
            }
            pins.set(0);
            return "a native call uses its memory: " + e.getMessage() + "; wait for its end, or give a deadline";
        }
    }
}
