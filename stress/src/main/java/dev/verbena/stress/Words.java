package dev.verbena.stress;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Plain loads and stores at any address: blocks by address have no segment. Whoever gives a wrong address crashes the process, as in C.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> no order at all; that is for who calls.
 */
public final class Words {
    private static final MemorySegment EVERYWHERE = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private Words() {}

    /** The 8 bytes at the address. */
    public static long get(long address) {
        return EVERYWHERE.get(ValueLayout.JAVA_LONG, address);
    }

    /** Sets the 8 bytes at the address. */
    public static void set(long address, long value) {
        EVERYWHERE.set(ValueLayout.JAVA_LONG, address, value);
    }

    /** The byte at the address. */
    public static byte getByte(long address) {
        return EVERYWHERE.get(ValueLayout.JAVA_BYTE, address);
    }

    /** Sets the byte at the address. */
    public static void setByte(long address, byte value) {
        EVERYWHERE.set(ValueLayout.JAVA_BYTE, address, value);
    }
}
