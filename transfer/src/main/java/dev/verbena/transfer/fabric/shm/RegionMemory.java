package dev.verbena.transfer.fabric.shm;

import java.lang.foreign.MemorySegment;

import dev.verbena.memory.SlabBacking;

/**
 * The bytes of a region, and the file in which peers find them.
 *
 * <p>Threading: immutable but for its end, which comes once.
 */
interface RegionMemory {
    MemorySegment memory();

    /** Null if they are in no file: then no peer gets there. */
    FileIdentity identity();

    /** Of the first byte. */
    long fileOffset();

    SlabBacking backing();

    void release();
}
