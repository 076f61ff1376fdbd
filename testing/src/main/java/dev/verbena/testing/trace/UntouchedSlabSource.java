package dev.verbena.testing.trace;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabSource;

/**
 * Addresses without memory, for replays, which allocate and free and touch nothing: any machine can replay what a larger one recorded.
 * Nothing is mapped there, nor ever will be: whoever reads or writes a tensor of such a slab ends the JVM, as a {@code DebugArena} would,
 * which fills them.
 *
 * <p><b>Owner:</b> whoever made it; there is nothing to close. <b>Threading:</b> thread-safe.
 */
public final class UntouchedSlabSource implements SlabSource {
    /** Beyond what any processor maps for a program: x86-64 ends at 2^56, AArch64 at 2^52. */
    private static final long FIRST_ADDRESS = 1L << 60;
    private static final long ALIGNMENT = 1L << 30;

    private final AtomicLong next = new AtomicLong(FIRST_ADDRESS);

    /** With all addresses still to be handed out. */
    public UntouchedSlabSource() {}

    @Override
    public Slab acquire(long byteSizeMin) {
        long room = (byteSizeMin & -ALIGNMENT) + ALIGNMENT;
        MemorySegment memory = MemorySegment.ofAddress(next.getAndAdd(room)).reinterpret(byteSizeMin);
        return () -> memory;
    }

    /** The addresses are not handed out again. */
    @Override
    public void release(Slab slab) {}
}
