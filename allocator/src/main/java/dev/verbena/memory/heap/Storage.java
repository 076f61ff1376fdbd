package dev.verbena.memory.heap;

import java.lang.foreign.MemorySegment;

import dev.verbena.memory.Slab;

/**
 * Where the memory of tensors comes from and goes back to. What has defaults is for storage whose tensors may end before they are
 * closed.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public interface Storage {
    /** The slab with the block at the address. */
    Slab slabAt(long address);

    /** Takes the block at the address back; called once for each, on the thread that closed or unpinned last. */
    void release(long address);

    /** What a tensor gives its user to look at the block; usable at least until {@link #release}. */
    default MemorySegment memoryAt(long address, long byteSize) {
        MemorySegment slab = slabAt(address).memory();
        return slab.asSlice(address - slab.address(), byteSize);
    }

    /** Whether it is an arena, whose allocations and frees are recorded; not a part of one, nor memory of elsewhere. */
    default boolean isArena() {
        return false;
    }

    /** The arena or the scope that the memory is from; itself if it is memory of elsewhere. */
    default Storage arena() {
        return this;
    }

    /** Bytes in front of a tensor that are its user's. */
    default long headroomByteSize() {
        return 0;
    }

    /** Bytes from the begin of a tensor's block to that of the tensor. */
    default long frontByteSize() {
        return 0;
    }

    /** The first bytes of the block are nobody's: what a tensor's headroom and alignment leave in front of it. */
    default void setAside(long byteSize) {}

    /** Whether all of the block is known to be 0, which nobody has yet but who asks. */
    default boolean isZero(long address) {
        return false;
    }

    /** Whether tensors that are not closed may be used. */
    default boolean isOpen() {
        return true;
    }

    /** Before a tensor is pinned: whether that may be. */
    default boolean tryPin() {
        return true;
    }

    /** Once for each {@link #tryPin} that let it, after the tensor was unpinned. */
    default void unpinned() {}

    /** What to add to the message about a misuse: where the block was allocated and freed, if that is known. */
    default String history() {
        return "";
    }
}
