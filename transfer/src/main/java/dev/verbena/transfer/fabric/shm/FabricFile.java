package dev.verbena.transfer.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The file of a fabric that every peer writes: its doorbells. What a peer must only see, the {@link RegionTable}, is another one.
 *
 * <pre>
 *   HEADER     0  magic (8) ............................................ one line
 *   DOORBELLS     DOORBELL_COUNT times {@link Doorbell#BYTE_SIZE}, one for each completion queue
 * </pre>
 */
final class FabricFile {
    static final int DOORBELL_COUNT = 64;

    /** "VRBNSHM" and the version of the layout. */
    private static final long MAGIC = 0x5652_424e_5348_4d05L;
    private static final long DOORBELLS = Words.LINE_BYTE_SIZE;
    static final long BYTE_SIZE = DOORBELLS + DOORBELL_COUNT * Doorbell.BYTE_SIZE;

    private FabricFile() {}

    static void initialize(MemorySegment memory) {
        memory.set(ValueLayout.JAVA_LONG, 0, MAGIC);
    }

    static boolean isValid(MemorySegment memory) {
        return memory.get(ValueLayout.JAVA_LONG, 0) == MAGIC;
    }

    static Doorbell doorbell(MemorySegment memory, int index) {
        return new Doorbell(memory, DOORBELLS + index * Doorbell.BYTE_SIZE);
    }
}
