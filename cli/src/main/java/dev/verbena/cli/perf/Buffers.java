package dev.verbena.cli.perf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.cli.BadInputException;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * The registered memory of one side, laid out as perftest does:
 *
 * <pre>
 *   send buffer of queue pair 0 | ... | send buffer q-1 | receive buffer 0 | ... | receive buffer q-1
 * </pre>
 *
 * <p>Small messages walk through their buffer in steps of cache lines, so that neighbours do not share one; large ones always
 * use its beginning.
 *
 * <p>Threading: confined to the command's thread.
 */
final class Buffers {
    private static final long CYCLE_BYTE_SIZE = 4096;
    private static final long LINE_BYTE_SIZE = 64;
    private static final VarHandle BYTE = JAVA_BYTE.varHandle();

    final MemoryRegion region;
    private final int queuePairs;
    private final long bufferByteSize;
    private final MemorySegment memory;

    Buffers(Fabric fabric, PerfOptions options) {
        queuePairs = options.queuePairs();
        bufferByteSize = Math.max(CYCLE_BYTE_SIZE, roundedUp(options.byteSizeMax()));
        long byteSize = 2 * queuePairs * bufferByteSize;
        long most = fabric.capabilities().regionByteSizeMax();
        if (byteSize > most) {
            throw new BadInputException("buffers of byteSize=" + byteSize + " are more than fabric " + fabric.name()
                    + " registers at once, " + most + "; give a smaller -s or -q");
        }
        try {
            region = fabric.register(byteSize, options.test().rights());
        } catch (OutOfArenaMemoryException e) {
            throw new BadInputException(e.getMessage());
        }
        memory = region.memory();
        fill(options.isServer() ? 1 : 2);
    }

    /** Something that differs from place to place and from side to side. */
    private void fill(int seed) {
        for (long i = 0; i < memory.byteSize(); i++) {
            memory.set(JAVA_BYTE, i, pattern(seed, i));
        }
    }

    static byte pattern(int seed, long position) {
        return (byte) (seed * 101 + position * 7 + (position >>> 8));
    }

    private static long roundedUp(long byteSize) {
        return (byteSize + LINE_BYTE_SIZE - 1) / LINE_BYTE_SIZE * LINE_BYTE_SIZE;
    }

    long sendOffset(int queuePair) {
        return queuePair * bufferByteSize;
    }

    /** Of this side and, since both sides agree on sizes, of the peer. */
    long receiveOffset(int queuePair) {
        return (queuePairs + queuePair) * bufferByteSize;
    }

    long bufferByteSize() {
        return bufferByteSize;
    }

    /** How many messages of this size find a place of their own in a buffer. */
    static int places(long byteSize) {
        return byteSize > CYCLE_BYTE_SIZE / 2 ? 1 : (int) (CYCLE_BYTE_SIZE / roundedUp(byteSize));
    }

    /** Where in its buffer the message of that number lies. */
    static long place(long number, long byteSize) {
        return number % places(byteSize) * roundedUp(byteSize);
    }

    byte byteAcquire(long offset) {
        return (byte) BYTE.getAcquire(memory, offset);
    }

    /** Aligned. */
    long word(long offset) {
        return memory.get(JAVA_LONG, offset);
    }

    void byteRelease(long offset, byte value) {
        BYTE.setRelease(memory, offset, value);
    }
}
