package dev.verbena.transfer.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Eight-byte words in memory that a peer writes or reads.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> the order is in the name.
 */
public final class Words {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private Words() {}

    public static long getAcquire(MemorySegment segment, long offset) {
        return (long) WORD.getAcquire(segment, offset);
    }

    public static void setRelease(MemorySegment segment, long offset, long value) {
        WORD.setRelease(segment, offset, value);
    }
}
