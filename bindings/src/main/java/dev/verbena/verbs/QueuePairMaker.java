package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Who makes a queue pair and destroys it, where that is not its protection domain: librdmacm, which moves it from state to state, too.
 *
 * <p>Owner: the object that it belongs to. Threading: thread-safe.
 */
interface QueuePairMaker {
    /** What is closed after the queue pair. */
    VerbsObject object();

    /**
     * Called with librdmacm's lock.
     *
     * @return a struct ibv_qp
     */
    MemorySegment create(ProtectionDomain domain, MemorySegment attributes);

    /** Called by the queue pair, which keeps the object open. */
    void destroy(AsyncEvents events, MemorySegment pair);
}
