package dev.verbena.memory.scope;

import dev.verbena.memory.Slab;

/**
 * A block of the arena that a scope holds, from one iteration to the next if it is needed again.
 *
 * @param slab which it lies in
 *
 * <p><b>Owner:</b> {@link ScopeBlocks}. <b>Threading:</b> immutable.
 */
public record ScopeBlock(long address, long byteSize, Slab slab) implements Comparable<ScopeBlock> {
    boolean isAligned(long alignment) {
        return (address & alignment - 1) == 0;
    }

    /** By size, so that the best fit is the first that is large enough. */
    @Override
    public int compareTo(ScopeBlock other) {
        int bySize = Long.compare(byteSize, other.byteSize);
        return bySize != 0 ? bySize : Long.compare(address, other.address);
    }
}
