package dev.verbena.memory;

import java.util.Objects;

/**
 * A run of pages in a {@link SlabMap}: what it is used for and how much of it is live.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param startPage its first page, counted from the start of the slab
 * @param pageCount pages of 4,096 bytes
 * @param slotByteSize of a run of slots, else 0
 * @param slotCount of a run of slots, else 0
 * @param liveSlotCount slots that hold a block, else 0
 */
public record RunMap(long startPage, long pageCount, Kind kind, long slotByteSize, int slotCount, int liveSlotCount) {
    /** What a run of pages is used for. */
    public enum Kind {
        /** By nobody; a block may be carved from it. */
        FREE,
        /** By one block of its own. */
        LARGE,
        /** By slots of one size, some of which hold a block. */
        SLOTS
    }

    /** Bytes of a page. */
    public static final long PAGE_BYTE_SIZE = 4096;

    /** Throws {@link IllegalArgumentException} if it begins before page 0, has no page, or its slots do not fit it or its kind. */
    public RunMap {
        Objects.requireNonNull(kind, "kind");
        boolean isWithin = startPage >= 0 && pageCount > 0
                && pageCount <= Long.MAX_VALUE / PAGE_BYTE_SIZE - startPage;
        boolean hasSlots = slotByteSize > 0 && slotCount > 0 && liveSlotCount >= 0 && liveSlotCount <= slotCount
                && slotCount <= pageCount * PAGE_BYTE_SIZE / slotByteSize;
        boolean hasNone = slotByteSize == 0 && slotCount == 0 && liveSlotCount == 0;
        if (!isWithin || !(kind == Kind.SLOTS ? hasSlots : hasNone)) {
            throw new IllegalArgumentException("run kind=" + kind + " startPage=" + startPage + " pageCount="
                    + pageCount + " slotByteSize=" + slotByteSize + " slotCount=" + slotCount + " liveSlotCount="
                    + liveSlotCount + ": it must have pages, and if it has slots, room for them; else give 0 slots");
        }
    }

    /** Pages that nobody uses: none of their bytes are live. */
    public static RunMap free(long startPage, long pageCount) {
        return new RunMap(startPage, pageCount, Kind.FREE, 0, 0, 0);
    }

    /** Pages that one block has for itself: all of their bytes are live. */
    public static RunMap large(long startPage, long pageCount) {
        return new RunMap(startPage, pageCount, Kind.LARGE, 0, 0, 0);
    }

    /** Pages cut into equal slots, some of which hold a block; what is left behind the last slot is never used. */
    public static RunMap slots(long startPage, long pageCount, long slotByteSize, int slotCount, int liveSlotCount) {
        return new RunMap(startPage, pageCount, Kind.SLOTS, slotByteSize, slotCount, liveSlotCount);
    }

    /** The page behind it. */
    public long endPage() {
        return startPage + pageCount;
    }

    /** Bytes of all its pages, live or not. */
    public long byteSize() {
        return pageCount * PAGE_BYTE_SIZE;
    }

    /** Bytes of live blocks, their rounding included. */
    public long liveByteSize() {
        return switch (kind) {
            case FREE -> 0;
            case LARGE -> byteSize();
            case SLOTS -> liveSlotCount * slotByteSize;
        };
    }
}
