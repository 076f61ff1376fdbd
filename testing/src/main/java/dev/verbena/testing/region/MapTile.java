package dev.verbena.testing.region;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.memory.RunMap;
import dev.verbena.memory.SlabMap;

/**
 * A rectangle of the picture of a slab: a run, or neighbouring ones that are too small to be told apart, or runs of slots of one size that
 * are about equally full.
 *
 * @param kind null if it has runs of several
 * @param slotByteSize 0 if it has none, or of several sizes
 *
 * <p><b>Owner:</b> {@link RegionSvg}. <b>Threading:</b> immutable.
 */
record MapTile(long startPage, long pageCount, long runCount, RunMap.Kind kind, long slotByteSize, long liveByteSize) {
    /** So many steps from empty to full are told apart. */
    static final int SHADES = 4;

    /** The tiles of a slab; neighbours that both have less than so many pages are one. */
    static List<MapTile> of(SlabMap slab, long pageCountMin) {
        List<MapTile> tiles = new ArrayList<>();
        for (RunMap run : slab.runs()) {
            MapTile next = of(run);
            MapTile last = tiles.isEmpty() ? null : tiles.getLast();
            if (last != null && (last.isLike(next) || last.pageCount < pageCountMin && next.pageCount < pageCountMin)) {
                tiles.set(tiles.size() - 1, last.and(next));
            } else {
                tiles.add(next);
            }
        }
        return tiles;
    }

    private static MapTile of(RunMap run) {
        return new MapTile(run.startPage(), run.pageCount(), 1, run.kind(), run.slotByteSize(), run.liveByteSize());
    }

    private MapTile and(MapTile next) {
        return new MapTile(startPage, pageCount + next.pageCount, runCount + next.runCount,
                kind == next.kind ? kind : null, slotByteSize == next.slotByteSize ? slotByteSize : 0,
                liveByteSize + next.liveByteSize);
    }

    private boolean isLike(MapTile other) {
        return kind == RunMap.Kind.SLOTS && other.kind == kind && slotByteSize == other.slotByteSize
                && shade() == other.shade();
    }

    long byteSize() {
        return pageCount * RunMap.PAGE_BYTE_SIZE;
    }

    /** 0 where nothing is live, {@link #SHADES} where all is. */
    int shade() {
        return (int) Math.ceil((double) liveByteSize / byteSize() * SHADES);
    }

    /** What it is, for people. */
    String description() {
        String what = switch (kind) {
            case FREE -> "free";
            case LARGE -> runCount == 1 ? "large block" : "large blocks";
            case SLOTS -> slotByteSize == 0 ? "slots of several sizes" : "slots of " + slotByteSize + " bytes";
            case null -> "of several kinds";
        };
        return what + (runCount == 1 ? "" : ", " + runCount + " runs") + ", at 0x"
                + Long.toHexString(startPage * RunMap.PAGE_BYTE_SIZE) + ", " + ByteCount.text(byteSize())
                + ", live " + ByteCount.share(liveByteSize, byteSize());
    }
}
