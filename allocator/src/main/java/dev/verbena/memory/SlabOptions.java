package dev.verbena.memory;

import java.util.Objects;

/**
 * What the memory of a slab shall be like.
 *
 * @param pages the best pages to try; others are taken where these are not to be had, and {@link Slab#backing} says why
 * @param numaNode where all its pages shall come from, one of {@link NumaNodes#all}, or {@link #ANY_NODE}
 * @param prefaultThreads threads that commit all its pages before the slab is handed out; 0 leaves each to its first use
 * @param prefaultListener told how far they have come
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record SlabOptions(PageKind pages, int numaNode, int prefaultThreads, PrefaultListener prefaultListener) {
    /** Pages from where the thread runs that uses them first, as everybody's. */
    public static final int ANY_NODE = -1;

    /** The most threads that commit the pages of one slab. */
    public static final int PREFAULT_THREADS_MAX = 1024;

    private static final SlabOptions DEFAULTS = new SlabOptions(PageKind.PLAIN, ANY_NODE, 0, (done, byteSize) -> {});

    /** Throws {@link IllegalArgumentException} if the node is below {@link #ANY_NODE}, or the number of threads is not 0 to 1024. */
    public SlabOptions {
        Objects.requireNonNull(pages, "pages");
        Objects.requireNonNull(prefaultListener, "prefaultListener");
        if (numaNode < ANY_NODE) {
            throw new IllegalArgumentException(
                    "numaNode=" + numaNode + "; give a node of the machine or ANY_NODE, " + ANY_NODE);
        }
        if (prefaultThreads < 0 || prefaultThreads > PREFAULT_THREADS_MAX) {
            throw new IllegalArgumentException("prefaultThreads=" + prefaultThreads + "; give 0 to "
                    + PREFAULT_THREADS_MAX);
        }
    }

    /** Plain pages of any node, committed as they are used. */
    public static SlabOptions defaults() {
        return DEFAULTS;
    }

    /** The best pages to try; where they are not to be had, plainer ones are taken, and {@link Slab#backing} says why. Plain unless set. */
    public SlabOptions withPages(PageKind pages) {
        return new SlabOptions(pages, numaNode, prefaultThreads, prefaultListener);
    }

    /** The node that all pages come from, one of {@link NumaNodes#all}, as the slab's source checks; {@link #ANY_NODE} unless set. */
    public SlabOptions withNumaNode(int numaNode) {
        return new SlabOptions(pages, numaNode, prefaultThreads, prefaultListener);
    }

    /** Threads that commit all pages before the slab is handed out, up to 1024; with 0, the default, only reserved huge pages are. */
    public SlabOptions withPrefaultThreads(int prefaultThreads) {
        return new SlabOptions(pages, numaNode, prefaultThreads, prefaultListener);
    }

    /** Hears after each piece how much is committed, on the threads that do so, one at a time; unless set, nobody does. */
    public SlabOptions withPrefaultListener(PrefaultListener prefaultListener) {
        return new SlabOptions(pages, numaNode, prefaultThreads, prefaultListener);
    }
}
