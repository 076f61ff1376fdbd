package dev.verbena.memory;

import dev.verbena.memory.heap.SizeClasses;

/**
 * How a {@link DebugArena} looks for mistakes.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param guardByteSize bytes of each of the two guards of a block; a multiple of 64, so that tensors stay aligned. How far a write may
 *            miss a block and still be caught
 * @param quarantineByteSizeMax so many bytes of freed blocks, guards included, wait before they are used again; 0 for none. How long
 *            after the free a write is still caught
 * @param siteDepth frames that are kept of where a block was allocated or freed
 */
public record DebugOptions(long guardByteSize, long quarantineByteSizeMax, int siteDepth) {
    private static final long GUARD_BYTE_SIZE_MAX = 1L << 30;

    /** Throws {@link IllegalArgumentException} if guards are no multiple of 64 from 64 to 2^30, the quarantine is negative, or no frame is kept. */
    public DebugOptions {
        if (guardByteSize < SizeClasses.ALIGNMENT || guardByteSize > GUARD_BYTE_SIZE_MAX
                || guardByteSize % SizeClasses.ALIGNMENT != 0) {
            throw new IllegalArgumentException("guardByteSize=" + guardByteSize + "; give a multiple of "
                    + SizeClasses.ALIGNMENT + " up to " + GUARD_BYTE_SIZE_MAX);
        }
        if (quarantineByteSizeMax < 0) {
            throw new IllegalArgumentException(
                    "quarantineByteSizeMax=" + quarantineByteSizeMax + "; give 0 or more bytes");
        }
        if (siteDepth < 1) {
            throw new IllegalArgumentException("siteDepth=" + siteDepth + "; give 1 frame or more");
        }
    }

    /** Guards of 64 bytes, a quarantine of 16 MiB, 16 frames. */
    public static DebugOptions defaults() {
        return new DebugOptions(SizeClasses.ALIGNMENT, 16 << 20, 16);
    }

    /** Bytes of each guard, of which a block has one in front and one behind: a multiple of 64, up to 2^30; 64 unless set. */
    public DebugOptions withGuardByteSize(long guardByteSize) {
        return new DebugOptions(guardByteSize, quarantineByteSizeMax, siteDepth);
    }

    /** The most bytes of freed blocks, guards included, that wait before they are used again; 0 for none, 16 MiB unless set. */
    public DebugOptions withQuarantineByteSizeMax(long quarantineByteSizeMax) {
        return new DebugOptions(guardByteSize, quarantineByteSizeMax, siteDepth);
    }

    /** Frames of the stack that are kept of each allocation and each free, for messages; at least 1, 16 unless set. */
    public DebugOptions withSiteDepth(int siteDepth) {
        return new DebugOptions(guardByteSize, quarantineByteSizeMax, siteDepth);
    }

    /**
     * Bytes of a block with its guards, which is what counts against the budget; to be given to {@link TensorArena#plannedByteSize} in
     * place of {@code byteSize}. At most 2^63 - 1, which no arena has.
     */
    public long guardedByteSize(long byteSize) {
        long most = Long.MAX_VALUE - 2 * guardByteSize - SizeClasses.ALIGNMENT;
        return byteSize > most
                ? Long.MAX_VALUE
                : (byteSize + SizeClasses.ALIGNMENT - 1 & -SizeClasses.ALIGNMENT) + 2 * guardByteSize;
    }

    /** As {@link #guardedByteSize(long)}, of a tensor with options; in place of {@link TensorOptions#blockByteSize}. */
    public long guardedByteSize(long byteSize, TensorOptions options) {
        long guarded = guardedByteSize(options.wholeByteSize(byteSize));
        long moreInFront = SizeClasses.ceil(guardByteSize, options.alignment()) - guardByteSize;
        return options.withHeadroomByteSize(0)
                .blockByteSize(guarded > Long.MAX_VALUE - moreInFront ? Long.MAX_VALUE : guarded + moreInFront);
    }
}
