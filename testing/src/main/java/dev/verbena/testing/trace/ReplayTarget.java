package dev.verbena.testing.trace;

/**
 * An allocator that a trace is replayed on; it remembers for each id what it handed out.
 *
 * <p><b>Owner:</b> whoever replays. <b>Threading:</b> as many threads at once as the trace has, each with other ids; that an id was
 * allocated happens before it is freed.
 */
public interface ReplayTarget {
    /** Takes that many bytes for an id that has none. What it throws ends the replay. */
    void allocate(int id, long byteSize);

    /** Gives the bytes of the id back. */
    void free(int id);
}
