package dev.verbena.memory.heap;

import java.lang.foreign.MemorySegment;

import dev.verbena.memory.Slab;

/**
 * Storage of one block, or of a tensor within it, which says what the storage that it is a part of says, unless it knows better.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public interface PartStorage extends Storage {
    /** What it is a part of. */
    Storage whole();

    @Override
    default Storage arena() {
        return whole().arena();
    }

    @Override
    default Slab slabAt(long address) {
        return whole().slabAt(address);
    }

    @Override
    default MemorySegment memoryAt(long address, long byteSize) {
        return whole().memoryAt(address, byteSize);
    }

    @Override
    default boolean isOpen() {
        return whole().isOpen();
    }

    @Override
    default boolean tryPin() {
        return whole().tryPin();
    }

    @Override
    default void unpinned() {
        whole().unpinned();
    }

    @Override
    default String history() {
        return whole().history();
    }
}
