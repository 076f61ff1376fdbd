package dev.verbena.verbs.bridge;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

import dev.verbena.verbs.ffi.Lifetime;

/**
 * Who makes a queue pair and destroys it, where that is not its protection domain: librdmacm, which moves it from state to state, too.
 *
 * <p><b>Owner:</b> the object that the queue pair belongs to. <b>Threading:</b> thread-safe.
 */
public interface QueuePairMaker {
    /** Of what is closed after the queue pair. */
    Lifetime lifetime();

    /**
     * Makes it.
     *
     * @param domain a struct ibv_pd
     * @param attributes a struct ibv_qp_init_attr, which says afterwards what was granted
     * @return a struct ibv_qp
     */
    MemorySegment create(MemorySegment domain, MemorySegment attributes);

    /**
     * Destroys it, by a call that it hands to {@code quietly}: no thread takes an asynchronous event meanwhile. Called by the
     * queue pair, which keeps the object open.
     */
    void destroy(Consumer<Runnable> quietly);
}
