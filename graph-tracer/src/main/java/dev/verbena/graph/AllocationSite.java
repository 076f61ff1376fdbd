package dev.verbena.graph;

/**
 * Where in the graph storage is asked for: the i-th allocation of a node in one execution of it (EuroSys'19 §3.4).
 *
 * <p>Owned by the session's {@link AllocationTracer}. Written by it only; {@link #isRegistered()} changes between iterations only.
 */
final class AllocationSite {
    private final String nodeName;
    private final int ordinal;
    /** The site whose storage was reused here in the traced iteration, when this was an in-place output; else null. */
    private AllocationSite reused;
    private boolean allocates;
    private boolean registered;

    AllocationSite(String nodeName, int ordinal) {
        this.nodeName = nodeName;
        this.ordinal = ordinal;
    }

    /** Whether storage is born in registered memory here: the set S of the paper. */
    boolean isRegistered() {
        return registered;
    }

    void register() {
        registered = true;
    }

    /** Whether the tracer saw it allocate, as opposed to reuse only. */
    boolean allocates() {
        return allocates;
    }

    void allocated() {
        allocates = true;
        reused = null;
    }

    void reused(AllocationSite site) {
        reused = site;
    }

    AllocationSite reused() {
        return reused;
    }

    @Override
    public String toString() {
        return nodeName + "#" + ordinal;
    }
}
