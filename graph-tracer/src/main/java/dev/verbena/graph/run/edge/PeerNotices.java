package dev.verbena.graph.run.edge;

/**
 * What runs of one task tell another of themselves, at one of its ends. A run that needs the same of the peer as the one before, for the same
 * fetches and targets, tells nothing: so a loop costs nothing, and a change costs a small tensor, for which the first tensor of its run waits.
 *
 * <p>Why that is enough: who changes tells so, and its notice is in place at the peer before any tensor of that run leaves. So a tensor that is
 * there without a notice is of a run like the last that was told of. Who waits for long tells what it runs though nothing has changed, since
 * no tensor would tell. Where completions tell of arrivals, and not memory, those of one queue may be seen before earlier ones of another: there
 * each run tells.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> confined to the session's thread.
 */
public interface PeerNotices {
    String peer();

    /**
     * A run begins.
     *
     * @param notice null if it needs no edge between both tasks
     */
    void begin(RunNotice notice);

    /** The present run has not moved for long. */
    default void onWaiting() {
        // Who hears has nothing to tell.
    }
}
