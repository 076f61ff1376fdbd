package dev.verbena.memory;

import java.util.List;

/**
 * What the memory of a slab is like, beside what was asked for.
 *
 * @param asked the best pages that were to be tried
 * @param pages what it consists of
 * @param numaNode the node that it is bound to, or {@link SlabOptions#ANY_NODE}
 * @param reasons why it is not what was asked for, a sentence each that says what to do; empty if it is
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record SlabBacking(PageKind asked, PageKind pages, int numaNode, List<String> reasons) {
    /** Of slabs whose source does not say. */
    public static final SlabBacking UNSAID = new SlabBacking(PageKind.PLAIN, PageKind.PLAIN, SlabOptions.ANY_NODE,
            List.of("the source of the slab does not say what its memory is like"));

    /** Copies the list of reasons, in which nothing may be null. */
    public SlabBacking {
        reasons = List.copyOf(reasons);
    }

    /** For people: in one line. */
    @Override
    public String toString() {
        return "pages=" + pages + " asked=" + asked + " numaNode="
                + (numaNode == SlabOptions.ANY_NODE ? "any" : String.valueOf(numaNode))
                + (reasons.isEmpty() ? "" : ": " + String.join("; ", reasons));
    }
}
