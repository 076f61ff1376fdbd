package dev.verbena.memory.heap;

/**
 * How large a region has to be so that given tensors fit into it at once.
 *
 * <p>Why the sums are enough: while nothing is freed, a thread carves a run only when every slot of the class in its own runs holds a
 * block ({@link SlotHeap#carve}). So n tensors of a class with S slots in a run of R bytes, allocated by T threads, lie in
 * at most n runs if n ≤ T, else in T + ⌊(n - T) / S⌋, which is all but the last of each thread full:
 *
 * <pre>
 *   runs × R  ≤  n ⌈R / S⌉  +  T (R - ⌊R / S⌋)
 *   planned      reserved      overhead, once per class
 * </pre>
 *
 * <p>and the rest of the slab, which is one free run, has room for every large tensor that there are bytes for.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class RegionPlan {
    private static final long OVERHEAD_BYTE_SIZE = overhead();

    private RegionPlan() {}

    public static long reservedByteSize(long byteSize) {
        if (byteSize < 0) {
            throw new IllegalArgumentException("byteSize=" + byteSize + " of a tensor is negative");
        }
        if (!SizeClasses.isSmall(byteSize)) {
            return SizeClasses.ceilToPage(byteSize);
        }
        int sizeClass = SizeClasses.indexOf(byteSize);
        return Math.ceilDiv(runByteSize(sizeClass), slots(sizeClass));
    }

    public static long overheadByteSize(int threads) {
        checkThreads(threads);
        return threads * OVERHEAD_BYTE_SIZE;
    }

    public static long plannedByteSize(int threads, long... byteSizes) {
        checkThreads(threads);
        long[] counts = new long[SizeClasses.COUNT];
        long sum = 0;
        try {
            for (long byteSize : byteSizes) {
                long reserved = reservedByteSize(byteSize);
                if (SizeClasses.isSmall(byteSize)) {
                    counts[SizeClasses.indexOf(byteSize)]++;
                } else {
                    sum = Math.addExact(sum, reserved);
                }
            }
            for (int sizeClass = 0; sizeClass < counts.length; sizeClass++) {
                long count = counts[sizeClass];
                long runs = count <= threads ? count : threads + (count - threads) / slots(sizeClass);
                sum = Math.addExact(sum, runs * runByteSize(sizeClass));
            }
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "tensors=" + byteSizes.length + " have together more than 2^63 - 1 bytes", e);
        }
        return sum;
    }

    private static void checkThreads(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads=" + threads + ": give how many allocate, 1 or more");
        }
    }

    private static long overhead() {
        long sum = 0;
        for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
            sum += runByteSize(sizeClass) - runByteSize(sizeClass) / slots(sizeClass);
        }
        return SizeClasses.ceilToPage(sum);
    }

    private static long runByteSize(int sizeClass) {
        return SizeClasses.runPages(sizeClass) * SizeClasses.PAGE_BYTE_SIZE;
    }

    private static int slots(int sizeClass) {
        return SizeClasses.slotsIn(sizeClass, SizeClasses.runPages(sizeClass));
    }
}
