package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Unchecked accesses by address, for structures that are filled in on the data path: where they lie was checked when they were made.
 *
 * <p><b>Owner:</b> none; whoever passes an address keeps the memory there until the access is over. <b>Threading:</b> plain accesses.
 */
final class RawMemory {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    /** Unaligned: no check of what is aligned anyway. */
    private static final VarHandle INT = ValueLayout.JAVA_INT_UNALIGNED.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG_UNALIGNED.varHandle();
    /** What bits an address in a process may have: the compiler, told so, checks no bounds. */
    private static final long ADDRESS_MASK = Long.MAX_VALUE >>> Byte.SIZE;

    private RawMemory() {}

    static int getInt(long address) {
        return (int) INT.get(ALL, address & ADDRESS_MASK);
    }

    static void putInt(long address, int value) {
        INT.set(ALL, address & ADDRESS_MASK, value);
    }

    static long getLong(long address) {
        return (long) LONG.get(ALL, address & ADDRESS_MASK);
    }

    static void putLong(long address, long value) {
        LONG.set(ALL, address & ADDRESS_MASK, value);
    }
}
