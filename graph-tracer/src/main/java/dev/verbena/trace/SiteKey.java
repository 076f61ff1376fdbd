package dev.verbena.trace;

import java.util.Comparator;

/** What a site is called, the same in each run of a program. */
record SiteKey(Kind kind, String place, int ordinal) implements Comparable<SiteKey> {
    /** What the place is. */
    enum Kind {
        /** A node; the ordinal counts the allocations of one execution. */
        NODE,
        /** Frames of a stack; the ordinal counts the allocations with this stack in one iteration of one thread. */
        CALL
    }

    private static final Comparator<SiteKey> ORDER = Comparator.comparing(SiteKey::kind).thenComparing(SiteKey::place)
            .thenComparingInt(SiteKey::ordinal);

    @Override
    public int compareTo(SiteKey other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return place + "#" + ordinal;
    }
}
