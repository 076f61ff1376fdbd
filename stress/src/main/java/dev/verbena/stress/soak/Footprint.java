package dev.verbena.stress.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the process has at one moment, in bytes.
 *
 * @param slabByteSize all slabs
 * @param otherByteSize what else is resident: the JVM, and what arenas know of their slabs outside the Java heap; steady only if the heap
 *            is there from the start ({@code -Xms}, {@code AlwaysPreTouch})
 * @param heapByteSize what is used of the Java heap behind a collection
 */
record Footprint(long slabByteSize, long otherByteSize, long heapByteSize) {
    private static final long MIB = 1024 * 1024;

    /** An arena grows by a quarter, or by what it was asked for: one such step may come late, or be what is in pieces. */
    private static final long GROWTH_SHARE = 4;
    /** Code that is compiled late, buffers of the C library for each of its arenas, stacks that it keeps. */
    private static final long OTHER_GROWTH_MAX = 32 * MIB;
    private static final long HEAP_GROWTH_MAX = 8 * MIB;

    static Footprint now(long slabByteSize) {
        System.gc();
        return new Footprint(slabByteSize, residentByteSize() - slabByteSize,
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }

    /**
     * Fails if the later one has more than arenas in steady state may need. That they need not be in it yet makes no difference: what
     * the threads may have live at most is granted.
     */
    void checkAgainst(Footprint later, long liveByteSizeMax) {
        long steady = Math.max(slabByteSize, liveByteSizeMax);
        long slabByteSizeMax = steady + steady / GROWTH_SHARE + Sizes.BYTE_SIZE_MAX;
        SoakFailure.unless(later.slabByteSize <= slabByteSizeMax
                && later.otherByteSize - otherByteSize <= OTHER_GROWTH_MAX
                && later.heapByteSize - heapByteSize <= HEAP_GROWTH_MAX,
                () -> "memory grows: behind the first quarter " + this + "; at the end " + later
                        + "; allowed slabs="
                        + slabByteSizeMax + " more other=" + OTHER_GROWTH_MAX + " heap=" + HEAP_GROWTH_MAX);
    }

    /** proc(5): {@code /proc/self/status}, line VmRSS, in KiB. */
    private static long residentByteSize() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("VmRSS:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("/proc/self/status has no line VmRSS; is this Linux?");
    }

    @Override
    public String toString() {
        return "slabs=" + slabByteSize / MIB + " MiB other=" + otherByteSize / MIB + " MiB heap=" + heapByteSize / MIB
                + " MiB";
    }
}
