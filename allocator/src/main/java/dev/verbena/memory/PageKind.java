package dev.verbena.memory;

/**
 * The pages that a slab's memory consists of, the plainest first; as a wish, the best that is tried.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum PageKind {
    /** As the system gives them to everybody. */
    PLAIN,
    /** Aligned to 2 MiB, and the kernel asked to back it by pages of that size wherever it finds some: madvise(2), MADV_HUGEPAGE. */
    TRANSPARENT_HUGE,
    /** 2 MiB each, from those that the administrator has reserved; committed at once and never swapped: mmap(2), MAP_HUGETLB. */
    RESERVED_HUGE
}
