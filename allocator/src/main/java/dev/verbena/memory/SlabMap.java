package dev.verbena.memory;

import java.util.List;

/**
 * The runs of a slab at one moment, by address.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param address of its first byte
 * @param runs without a gap from page 0
 */
public record SlabMap(long address, List<RunMap> runs) {
    /** Copies the list; throws {@link IllegalArgumentException} if the runs do not begin at page 0, leave a gap or overlap. */
    public SlabMap {
        runs = List.copyOf(runs);
        long page = 0;
        for (RunMap run : runs) {
            if (run.startPage() != page) {
                throw new IllegalArgumentException("run startPage=" + run.startPage() + " in the slab at address=0x"
                        + Long.toHexString(address) + ": the run before ends at page=" + page
                        + "; runs must tile the slab");
            }
            page = run.endPage();
        }
    }

    /** Pages of {@link RunMap#PAGE_BYTE_SIZE} bytes in all runs together; 0 if there is no run. */
    public long pageCount() {
        return runs.isEmpty() ? 0 : runs.getLast().endPage();
    }
}
