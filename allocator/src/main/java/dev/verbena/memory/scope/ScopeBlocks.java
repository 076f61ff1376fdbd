package dev.verbena.memory.scope;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

import dev.verbena.memory.DamagedMemoryException;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.heap.ArenaBlocks;

/**
 * The blocks that a scope holds: those that the iteration uses, and those that the one before used and this one has not needed yet.
 *
 * <pre>
 *   arena ──take──► used ──rewind──► idle ──take──► used
 *     ▲                               │
 *     └── the next rewind, or out of ─┘   what a whole iteration did not need,
 *         memory otherwise                or, in need, what it has not needed yet
 * </pre>
 *
 * <p>So a scope holds what two successive iterations needed, and iterations that need the same make no call of the arena.
 *
 * <p><b>Owner:</b> {@code IterationScope}. <b>Threading:</b> guarded by its owner's lock.
 */
public final class ScopeBlocks {
    /** An idle block serves a request if it is larger by at most that part of it; a huge one waits for a huge request. */
    private static final long WASTE_SHARE = 8;

    private final ArenaBlocks arena;
    private final NavigableSet<ScopeBlock> idle = new TreeSet<>();
    private final List<ScopeBlock> used = new ArrayList<>();
    private long heldByteSize;

    public ScopeBlocks(ArenaBlocks arena) {
        this.arena = arena;
    }

    /**
     * Null if the arena has no memory and {@code orNull}.
     *
     * @throws OutOfArenaMemoryException if it has none otherwise, and would have none with what is idle
     */
    public ScopeBlock take(long byteSize, long alignment, boolean orNull) {
        ScopeBlock block = takeIdle(byteSize, alignment);
        if (block != null) {
            return block;
        }
        long address = arena.allocateAligned(byteSize, alignment, orNull || !idle.isEmpty());
        if (address == 0 && !idle.isEmpty()) {
            freeIdle();
            address = arena.allocateAligned(byteSize, alignment, orNull);
        }
        return address == 0 ? null : fresh(address, byteSize);
    }

    private ScopeBlock takeIdle(long byteSize, long alignment) {
        for (ScopeBlock block : idle.tailSet(new ScopeBlock(0, byteSize, null))) {
            if (block.byteSize() - byteSize > byteSize / WASTE_SHARE) {
                return null;
            }
            if (block.isAligned(alignment)) {
                idle.remove(block);
                used.add(block);
                return block;
            }
        }
        return null;
    }

    private ScopeBlock fresh(long address, long byteSize) {
        ScopeBlock block = new ScopeBlock(address, byteSize, arena.slabAt(address));
        heldByteSize += byteSize;
        used.add(block);
        return block;
    }

    /**
     * The iteration is over: what it did not use goes back, what it used is there for the next one if there is one.
     *
     * @throws DamagedMemoryException if a debug arena found something wrong with what goes back; done nevertheless
     */
    public void rewind(boolean forGood) {
        List<ScopeBlock> leaving = new ArrayList<>(idle);
        idle.clear();
        (forGood ? leaving : idle).addAll(used);
        used.clear();
        free(leaving);
    }

    private void freeIdle() {
        List<ScopeBlock> leaving = List.copyOf(idle);
        idle.clear();
        free(leaving);
    }

    /** All of them, none of which is held any more, whatever comes of it. */
    private void free(List<ScopeBlock> leaving) {
        DamagedMemoryException found = null;
        for (ScopeBlock block : leaving) {
            heldByteSize -= block.byteSize();
            try {
                arena.free(block.address());
            } catch (DamagedMemoryException e) {
                if (found == null) {
                    found = e;
                } else {
                    found.addSuppressed(e);
                }
            }
        }
        if (found != null) {
            throw found;
        }
    }

    public long heldByteSize() {
        return heldByteSize;
    }
}
