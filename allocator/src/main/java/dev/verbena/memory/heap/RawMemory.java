package dev.verbena.memory.heap;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.invoke.VarHandle.AccessMode;

/**
 * Plain and atomic accesses to memory by its address, unchecked: for what the allocator knows of its slabs, which lies outside of the
 * Java heap in memory of its own, so that a record is one cache line and a link is a number. Nothing of it is ever registered with a
 * device.
 *
 * <p>The path of a block is as deep and as large as the JIT inlines (ADR 6): what is on it calls nothing here by way of another method
 * that it could call at once, and what it calls here are method handles, which count two calls less than a {@link VarHandle}.
 *
 * <p><b>Owner:</b> none; whoever passes an address sees to it that the memory is there. <b>Threading:</b> as the name of the access says.
 */
final class RawMemory {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final VarHandle BYTE = byAddress(ValueLayout.JAVA_BYTE);
    private static final VarHandle INT = byAddress(ValueLayout.JAVA_INT_UNALIGNED);
    /** Unaligned: no check of what is aligned anyway; but that one has no atomic accesses. */
    private static final VarHandle LONG = byAddress(ValueLayout.JAVA_LONG_UNALIGNED);
    private static final VarHandle ATOMIC_LONG = byAddress(ValueLayout.JAVA_LONG);

    private static final MethodHandle GET_BYTE = BYTE.toMethodHandle(AccessMode.GET);
    private static final MethodHandle SET_BYTE = BYTE.toMethodHandle(AccessMode.SET);
    private static final MethodHandle GET_INT = INT.toMethodHandle(AccessMode.GET);
    private static final MethodHandle SET_INT = INT.toMethodHandle(AccessMode.SET);
    private static final MethodHandle GET_LONG = LONG.toMethodHandle(AccessMode.GET);
    private static final MethodHandle SET_LONG = LONG.toMethodHandle(AccessMode.SET);

    /** What bits an address in a process may have. */
    private static final long ADDRESS_MASK = Long.MAX_VALUE >>> Byte.SIZE;

    private RawMemory() {}

    private static VarHandle byAddress(ValueLayout layout) {
        return MethodHandles.insertCoordinates(layout.varHandle(), 0, ALL);
    }

    /** Nothing is, but errors of the JVM, which go through as they are. */
    private static IllegalStateException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return new IllegalStateException("access to memory by its address failed", e);
    }

    /** The address, which the compiler now knows to be one: it checks no bounds where this, or this and a small number, is accessed. */
    static long known(long address) {
        return address & ADDRESS_MASK;
    }

    /** An address that was put there, known as such. */
    static long getAddress(long address) {
        try {
            return (long) GET_LONG.invokeExact(address) & ADDRESS_MASK;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long getLong(long address) {
        try {
            return (long) GET_LONG.invokeExact(address);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static void putLong(long address, long value) {
        try {
            SET_LONG.invokeExact(address, value);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int getInt(long address) {
        try {
            return (int) GET_INT.invokeExact(address);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static void putInt(long address, int value) {
        try {
            SET_INT.invokeExact(address, value);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static byte getByte(long address) {
        try {
            return (byte) GET_BYTE.invokeExact(address);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static void putByte(long address, byte value) {
        try {
            SET_BYTE.invokeExact(address, value);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long getLongOpaque(long address) {
        return (long) ATOMIC_LONG.getOpaque(address);
    }

    static long getLongAcquire(long address) {
        return (long) ATOMIC_LONG.getAcquire(address);
    }

    static long getAndBitwiseOrLong(long address, long bits) {
        return (long) ATOMIC_LONG.getAndBitwiseOr(address, bits);
    }

    static boolean compareAndSetLong(long address, long expected, long value) {
        return ATOMIC_LONG.compareAndSet(address, expected, value);
    }
}
