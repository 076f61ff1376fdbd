package dev.verbena.verbs.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;

/**
 * Unchecked accesses by address, for structures that are filled in on the data path: where they lie was checked when they were made. Each
 * names an object that keeps the memory from being freed.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> plain accesses.
 */
public final class RawMemory {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    /** Unaligned: no check of what is aligned anyway. */
    private static final VarHandle INT = ValueLayout.JAVA_INT_UNALIGNED.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG_UNALIGNED.varHandle();
    /** What bits an address in a process may have: the compiler, told so, checks no bounds. */
    private static final long ADDRESS_MASK = Long.MAX_VALUE >>> Byte.SIZE;

    private RawMemory() {}

    // With the mask on the address alone, one of them serves all fields of a structure.

    public static int getInt(Object keeper, long address, long offset) {
        int value = (int) INT.get(ALL, (address & ADDRESS_MASK) + offset);
        Reference.reachabilityFence(keeper);
        return value;
    }

    public static void putInt(Object keeper, long address, long offset, int value) {
        INT.set(ALL, (address & ADDRESS_MASK) + offset, value);
        Reference.reachabilityFence(keeper);
    }

    public static long getLong(Object keeper, long address, long offset) {
        long value = (long) LONG.get(ALL, (address & ADDRESS_MASK) + offset);
        Reference.reachabilityFence(keeper);
        return value;
    }

    public static void putLong(Object keeper, long address, long offset, long value) {
        LONG.set(ALL, (address & ADDRESS_MASK) + offset, value);
        Reference.reachabilityFence(keeper);
    }
}
