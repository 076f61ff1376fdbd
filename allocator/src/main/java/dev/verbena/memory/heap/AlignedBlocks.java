package dev.verbena.memory.heap;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import dev.verbena.memory.TensorArena;

/**
 * How blocks get an alignment that was asked for.
 *
 * <pre>
 *   up to 64       every block has it
 *   up to 4,096    the size is rounded up to a multiple of it: every run begins on a page, and the slots of sizes that are
 *                  such multiples have a size that is one too (both are steps of powers of two), as have large blocks
 *   more           a part of a larger block, page-aligned, which is remembered by the part's address
 *
 *                    block             address                              end of block
 *                    | less than ...   | byteSize            | ... alignment |
 * </pre>
 *
 * <p><b>Owner:</b> {@link TensorArena}. <b>Threading:</b> thread-safe.
 */
public final class AlignedBlocks {
    /** The largest page that a machine has, so far. */
    public static final long ALIGNMENT_MAX = 1L << 30;

    private final ConcurrentMap<Long, Long> blockByPart = new ConcurrentHashMap<>();

    /** @throws IllegalArgumentException unless it is a power of two up to {@link #ALIGNMENT_MAX} */
    public static void check(long alignment) {
        if (Long.bitCount(alignment) != 1 || alignment < 0 || alignment > ALIGNMENT_MAX) {
            throw new IllegalArgumentException("alignment=" + alignment + " of a block must be a power of two, at most "
                    + ALIGNMENT_MAX);
        }
    }

    /**
     * Bytes of a block that has a part of {@code byteSize} so aligned; 2^63 - 1 if there are no more.
     *
     * @param alignmentOfBlocks what blocks of its multiples are aligned to: the size of a page, in a debug arena less
     */
    public static long blockByteSize(long byteSize, long alignment, long alignmentOfBlocks) {
        if (alignment <= SizeClasses.ALIGNMENT) {
            return byteSize;
        }
        long multiple = Math.min(alignment, alignmentOfBlocks);
        long spare = alignment - multiple;
        long byteSizeMax = Long.MAX_VALUE - spare - multiple + 1;
        return byteSize > byteSizeMax ? Long.MAX_VALUE : ceil(Math.max(byteSize, 1), multiple) + spare;
    }

    /** The aligned part of a block of that size; {@link #forget} leads back. */
    public long partOf(long block, long alignment) {
        long part = ceil(block, alignment);
        if (part != block) {
            blockByPart.put(part, block);
        }
        return part;
    }

    /** The block whose part begins at the address; null if there is none, or no longer. */
    public Long forget(long part) {
        return blockByPart.remove(part);
    }

    public static long ceil(long number, long powerOfTwo) {
        return number + powerOfTwo - 1 & -powerOfTwo;
    }
}
