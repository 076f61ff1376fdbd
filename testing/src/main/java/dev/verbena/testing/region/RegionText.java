package dev.verbena.testing.region;

import java.util.List;

import dev.verbena.memory.RunMap;
import dev.verbena.memory.SlabMap;

/**
 * A {@link RegionMap} as text. How many pages a character stands for, a power of two, follows from the width and from how many lines
 * anybody looks at.
 *
 * <p><b>Owner:</b> {@link RegionMap}. <b>Threading:</b> confined to its owner.
 */
final class RegionText {
    private static final int WIDTH_MAX = 4096;
    private static final int LINES_MAX = 64;
    private static final String LEGEND = ". free   o only empty slots   live: - up to 25 %   = 50 %   + 75 %   * less than 96 %"
            + "   # more\n";
    /** What of a run the last slot does not reach, at most 1/32 of it, makes no full run look as if it weren't. */
    private static final double FULL_SHARE = 0.96;

    private final RegionMap map;
    private final int width;
    private final long cellPages;
    private final StringBuilder text = new StringBuilder();

    RegionText(RegionMap map, int width) {
        if (width < 1 || width > WIDTH_MAX) {
            throw new IllegalArgumentException("width=" + width + "; give 1 to " + WIDTH_MAX + " characters");
        }
        this.map = map;
        this.width = width;
        cellPages = cellPages(map.pageCount(), (long) width * LINES_MAX);
    }

    /** The least power of two so that so many cells are enough. */
    static long cellPages(long pageCount, long cellCountMax) {
        long pages = 1;
        while (Math.ceilDiv(pageCount, pages) > cellCountMax) {
            pages *= 2;
        }
        return pages;
    }

    String text() {
        text.append(map.summary()).append("; a character is ")
                .append(ByteCount.text(cellPages * RunMap.PAGE_BYTE_SIZE)).append('\n').append(LEGEND);
        for (int slab = 0; slab < map.slabs().size(); slab++) {
            append(slab, map.slabs().get(slab));
        }
        return text.toString();
    }

    private void append(int index, SlabMap slab) {
        text.append("slab ").append(index).append(" address=0x").append(Long.toHexString(slab.address())).append(' ')
                .append(ByteCount.text(slab.pageCount() * RunMap.PAGE_BYTE_SIZE)).append('\n');
        String cells = cells(slab);
        for (int start = 0; start < cells.length(); start += width) {
            text.append(String.format("  0x%010x |", start * cellPages * RunMap.PAGE_BYTE_SIZE))
                    .append(cells, start, Math.min(start + width, cells.length())).append("|\n");
        }
    }

    private String cells(SlabMap slab) {
        int count = Math.toIntExact(Math.ceilDiv(slab.pageCount(), cellPages));
        double[] livePages = new double[count];
        boolean[] hasSlots = new boolean[count];
        slab.runs().forEach(run -> spread(run, livePages, hasSlots));
        StringBuilder cells = new StringBuilder(count);
        for (int cell = 0; cell < count; cell++) {
            long pages = Math.min(cellPages, slab.pageCount() - cell * cellPages);
            cells.append(symbol(livePages[cell] / pages, hasSlots[cell]));
        }
        return cells.toString();
    }

    private void spread(RunMap run, double[] livePages, boolean[] hasSlots) {
        double share = (double) run.liveByteSize() / run.byteSize();
        for (long cell = run.startPage() / cellPages; cell * cellPages < run.endPage(); cell++) {
            long from = Math.max(run.startPage(), cell * cellPages);
            long to = Math.min(run.endPage(), (cell + 1) * cellPages);
            livePages[(int) cell] += share * (to - from);
            hasSlots[(int) cell] |= run.kind() == RunMap.Kind.SLOTS;
        }
    }

    private static char symbol(double liveShare, boolean hasSlots) {
        if (liveShare == 0) {
            return hasSlots ? 'o' : '.';
        }
        if (liveShare >= FULL_SHARE) {
            return '#';
        }
        return List.of('-', '=', '+', '*').get(Math.clamp((int) Math.ceil(liveShare * 4) - 1, 0, 3));
    }
}
