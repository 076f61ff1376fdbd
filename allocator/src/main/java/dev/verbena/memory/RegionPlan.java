package dev.verbena.memory;

/**
 * How large a region has to be so that given tensors fit into it at once.
 *
 * <p>Why the sums are enough: while nothing is freed, a run is carved only when every slot of its class that there is holds a tensor
 * ({@link ArenaHeap#takeExclusively}). So n tensors of a class with S slots in a run of R bytes take
 *
 * <pre>
 *   ⌈n / S⌉ R  ≤  n ⌈R / S⌉  +  (R - ⌊R / S⌋)
 *   planned       reserved      overhead, once per class
 * </pre>
 *
 * <p>and the rest of the slab, which is one free run, has room for every large tensor that there are bytes for.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class RegionPlan {
    static final long OVERHEAD_BYTE_SIZE = overhead();

    private RegionPlan() {}

    static long reservedByteSize(long byteSize) {
        if (byteSize < 0) {
            throw new IllegalArgumentException("byteSize=" + byteSize + " of a tensor is negative");
        }
        if (!SizeClasses.isSmall(byteSize)) {
            return SizeClasses.ceilToPage(byteSize);
        }
        int sizeClass = SizeClasses.indexOf(byteSize);
        return Math.ceilDiv(runByteSize(sizeClass), slots(sizeClass));
    }

    static long plannedByteSize(long... byteSizes) {
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
                long runs = Math.ceilDiv(counts[sizeClass], slots(sizeClass));
                sum = Math.addExact(sum, runs * runByteSize(sizeClass));
            }
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "tensors=" + byteSizes.length + " have together more than 2^63 - 1 bytes", e);
        }
        return sum;
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
