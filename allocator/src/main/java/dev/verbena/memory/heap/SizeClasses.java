package dev.verbena.memory.heap;

/**
 * The sizes that small tensors are rounded up to, and how many slots of each are carved from a run of pages.
 *
 * <pre>
 *   bytes asked for        slot sizes                       rounding above a multiple of 64
 *   0 .. 1,024             64, 128, 192, .. 1,024           none
 *   1,025 .. 65,536        8 per doubling: 1,152, 1,280 ..  at most 127 of 1,025, that is less than 12.5 %
 *   more                   none: a run of whole pages       at most 4,095 of 65,537, that is less than 6.3 %
 * </pre>
 *
 * <p>Eight classes per doubling are what jemalloc and mimalloc take too, for the same bound. Every slot size is a multiple of
 * 64 and every run begins on a page, so every slot is 64-byte aligned. A run has the fewest pages that leave at most 1/32 of it
 * unused behind its last slot, and never more than 64 slots, so that one {@code long} tells which are free. Runs are short on
 * purpose: what a half-empty run of each class can hold back is the {@link RegionPlan#overheadByteSize overhead of a plan}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class SizeClasses {
    static final int ALIGNMENT_SHIFT = 6;
    public static final long ALIGNMENT = 1L << ALIGNMENT_SHIFT;
    static final int PAGE_SHIFT = 12;
    public static final long PAGE_BYTE_SIZE = 1L << PAGE_SHIFT;
    static final int SLOTS_MAX = Long.SIZE;
    static final long SLOT_BYTE_SIZE_MAX = 64 * 1024;

    /** Up to here every multiple of 64 is a class of its own. */
    private static final int LINEAR_BITS = 10;
    private static final int LINEAR_COUNT = (1 << LINEAR_BITS) / (int) ALIGNMENT;
    /** Above, the classes of each doubling are told apart by that many bits behind the leading one. */
    private static final int STEP_BITS = 3;
    private static final int TAIL_SHARE = 32;

    static final int COUNT = computeIndex(SLOT_BYTE_SIZE_MAX) + 1;

    /** By size in units of the alignment, rounded up. */
    private static final byte[] INDEX = new byte[(int) (SLOT_BYTE_SIZE_MAX / ALIGNMENT) + 1];
    /**
     * What an offset is divided by, for one access, of a size that is an odd number times 2^shift:
     *
     * <pre>
     *   inverse of the odd number, modulo 2^32 : 32 | size : 24 | shift : 8
     * </pre>
     */
    private static final long[] DIVISOR = new long[COUNT];
    private static final int DIVISOR_SIZE_SHIFT = Byte.SIZE;
    private static final int[] RUN_PAGES = new int[COUNT];

    static {
        for (int units = 0; units < INDEX.length; units++) {
            INDEX[units] = (byte) computeIndex(units * ALIGNMENT);
        }
        for (int index = 0; index < COUNT; index++) {
            int slotByteSize = computeSlotByteSize(index);
            DIVISOR[index] = computeDivisor(slotByteSize);
            RUN_PAGES[index] = computeRunPages(slotByteSize);
        }
    }

    private SizeClasses() {}

    /** Whether a tensor of that size takes a slot; if not, it takes a run of its own. */
    public static boolean isSmall(long byteSize) {
        return byteSize <= SLOT_BYTE_SIZE_MAX;
    }

    /**
     * The class of the smallest slots that hold {@code byteSize}, which is small; 0 bytes take a slot too. From a table: which side of
     * {@link #LINEAR_BITS} a size is on nobody predicts.
     */
    public static int indexOf(long byteSize) {
        return INDEX[(int) (byteSize + ALIGNMENT - 1 >>> ALIGNMENT_SHIFT)];
    }

    private static int computeIndex(long byteSize) {
        long last = Math.max(byteSize, 1) - 1;
        if (last < 1 << LINEAR_BITS) {
            return (int) (last / ALIGNMENT);
        }
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(last);
        int step = (int) (last >>> exponent - STEP_BITS) & (1 << STEP_BITS) - 1;
        return LINEAR_COUNT + (exponent - LINEAR_BITS << STEP_BITS) + step;
    }

    public static int slotByteSize(int index) {
        return (int) DIVISOR[index] >>> DIVISOR_SIZE_SHIFT;
    }

    /**
     * The slot of that class that begins so many bytes, less than 2^32, behind the first; by one multiplication, which no remainder survives:
     * Granlund and Montgomery, "Division by Invariant Integers using Multiplication", section 9.
     *
     * @return if none begins there, a number that is no slot's, unsigned: more than 2^32 / size - 1
     */
    static int slotAt(int index, long offset) {
        long divisor = DIVISOR[index];
        return Integer.rotateRight((int) offset * (int) (divisor >>> Integer.SIZE), (int) divisor);
    }

    /** Pages of a run of that class when memory is plentiful. */
    static int runPages(int index) {
        return RUN_PAGES[index];
    }

    /** Pages of the shortest run that has a slot of that class; taken when there is no {@link #runPages longer} one. */
    public static int runPagesMin(int index) {
        return (int) pagesOf(slotByteSize(index));
    }

    /** Slots of that class in a run of so many pages. */
    static int slotsIn(int index, long pages) {
        return (int) Math.min(SLOTS_MAX, pages * PAGE_BYTE_SIZE / slotByteSize(index));
    }

    /** Pages that hold {@code byteSize} bytes; at least 1. Does not overflow. */
    public static long pagesOf(long byteSize) {
        return (Math.max(byteSize, 1) - 1) / PAGE_BYTE_SIZE + 1;
    }

    /** The next multiple, unless that exceeds 2^63 - 1. */
    public static long ceil(long number, long powerOfTwo) {
        return number + powerOfTwo - 1 & -powerOfTwo;
    }

    /** @throws IllegalArgumentException if that exceeds 2^63 - 1 */
    public static long ceilToPage(long byteSize) {
        if (byteSize > Long.MAX_VALUE - PAGE_BYTE_SIZE + 1) {
            throw new IllegalArgumentException("byteSize=" + byteSize + " is too large to round up to whole pages");
        }
        return byteSize + PAGE_BYTE_SIZE - 1 & -PAGE_BYTE_SIZE;
    }

    /** Bytes that a block has which was asked for with so many: its size class, or whole pages. */
    public static long usableByteSize(long byteSize) {
        return isSmall(byteSize) ? slotByteSize(indexOf(byteSize)) : ceilToPage(byteSize);
    }

    private static int computeSlotByteSize(int index) {
        if (index < LINEAR_COUNT) {
            return (index + 1) * (int) ALIGNMENT;
        }
        int above = index - LINEAR_COUNT;
        int exponent = LINEAR_BITS + (above >>> STEP_BITS);
        int steps = (1 << STEP_BITS) + (above & (1 << STEP_BITS) - 1) + 1;
        return steps << exponent - STEP_BITS;
    }

    private static long computeDivisor(int slotByteSize) {
        int shift = Integer.numberOfTrailingZeros(slotByteSize);
        int odd = slotByteSize >>> shift;
        int inverse = odd; // Right in its last three bits; each step of Newton's doubles them.
        for (int bits = 3; bits < Integer.SIZE; bits *= 2) {
            inverse *= 2 - odd * inverse;
        }
        return (long) inverse << Integer.SIZE | slotByteSize << DIVISOR_SIZE_SHIFT | shift;
    }

    private static int computeRunPages(int slotByteSize) {
        for (int pages = (int) pagesOf(slotByteSize);; pages++) {
            long runByteSize = pages * PAGE_BYTE_SIZE;
            long slots = Math.min(SLOTS_MAX, runByteSize / slotByteSize);
            if ((runByteSize - slots * slotByteSize) * TAIL_SHARE <= runByteSize) {
                return pages;
            }
        }
    }
}
