package dev.verbena.graph.run;

import java.time.Duration;
import java.util.function.Supplier;

import dev.verbena.transfer.Endpoint;

/**
 * Hears what a session waits for, so that its user can say so.
 *
 * <p><b>Owner:</b> the caller. <b>Threading:</b> called on the session's thread, which waits meanwhile; must not block.
 */
public interface SessionListener {
    /** Hears nothing. */
    SessionListener NONE = new SessionListener() {
    };

    /**
     * Set-up waits for a peer from now on: to listen, then to say where its tensors are.
     *
     * @param timeout after which it gives up
     */
    default void onPeerAwaited(String task, Endpoint endpoint, Duration timeout) {}

    /** It has said all that set-up wants of it, or set-up has failed. */
    default void onPeerAnswered() {}

    /**
     * A run finds nothing to do; called again and again while that lasts, a thousand times a second.
     *
     * @param waitedNs since it came to a stop
     * @param leftNs until it gives up
     * @param forWhat it waits; a sentence that is made when it is asked for, and only during the call
     */
    default void onIdle(long waitedNs, long leftNs, Supplier<String> forWhat) {}
}
