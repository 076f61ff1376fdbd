package dev.verbena.memory.heap;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Plain and atomic accesses to memory by its address, unchecked: for what the allocator knows of its slabs, which lies outside of the
 * Java heap in memory of its own, so that a record is one cache line and a link is a number. Nothing of it is ever registered with a
 * device.
 *
 * <p>The path of a block is as deep as the JIT inlines (ADR 6): what is on it calls nothing here by way of another method that it could
 * call at once.
 *
 * <p><b>Owner:</b> none; whoever passes an address sees to it that the memory is there. <b>Threading:</b> as the name of the access says.
 */
final class RawMemory {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final VarHandle SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT_UNALIGNED.varHandle();
    /** Unaligned: no check of what is aligned anyway; but that one has no atomic accesses. */
    private static final VarHandle LONG = ValueLayout.JAVA_LONG_UNALIGNED.varHandle();
    private static final VarHandle ATOMIC_LONG = ValueLayout.JAVA_LONG.varHandle();
    /** What bits an address in a process may have. */
    private static final long ADDRESS_MASK = Long.MAX_VALUE >>> Byte.SIZE;

    private RawMemory() {}

    /** The address, which the compiler now knows to be one: it checks no bounds where this, or this and a small number, is accessed. */
    static long known(long address) {
        return address & ADDRESS_MASK;
    }

    /** An address that was put there, known as such. */
    static long getAddress(long address) {
        return (long) LONG.get(ALL, address) & ADDRESS_MASK;
    }

    static long getLong(long address) {
        return (long) LONG.get(ALL, address);
    }

    static void putLong(long address, long value) {
        LONG.set(ALL, address, value);
    }

    static int getInt(long address) {
        return (int) INT.get(ALL, address);
    }

    static void putInt(long address, int value) {
        INT.set(ALL, address, value);
    }

    static short getShort(long address) {
        return (short) SHORT.get(ALL, address);
    }

    static void putShort(long address, short value) {
        SHORT.set(ALL, address, value);
    }

    static byte getByte(long address) {
        return (byte) BYTE.get(ALL, address);
    }

    static void putByte(long address, byte value) {
        BYTE.set(ALL, address, value);
    }

    static long getLongOpaque(long address) {
        return (long) ATOMIC_LONG.getOpaque(ALL, address);
    }

    static long getLongAcquire(long address) {
        return (long) ATOMIC_LONG.getAcquire(ALL, address);
    }

    static long getAndBitwiseOrLong(long address, long bits) {
        return (long) ATOMIC_LONG.getAndBitwiseOr(ALL, address, bits);
    }

    static boolean compareAndSetLong(long address, long expected, long value) {
        return ATOMIC_LONG.compareAndSet(ALL, address, expected, value);
    }
}
