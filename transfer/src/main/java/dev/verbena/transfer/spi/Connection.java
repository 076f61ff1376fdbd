package dev.verbena.transfer.spi;

import java.util.List;

/**
 * The queue pairs between two processes and the control path that tells when the other one dies.
 *
 * <p>Once lost it is never used again; a new one is made.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe, but a queue pair is used by one thread at a time.
 */
public interface Connection extends AutoCloseable {
    /** The name that the peer gave itself, for messages. */
    String peerName();

    /** The endpoint that the peer listens on. */
    dev.verbena.transfer.Endpoint peerEndpoint();

    /** Those that the options of this side asked for, in their order; the n-th of one side is connected to the n-th of the other. */
    List<QueuePair> queuePairs();

    /** Why the connection is lost; null while it is not. */
    String lostCause();

    /**
     * Maps the region of the peer that has this key, which the peer has told, for reading and writing.
     *
     * @throws UnsupportedOperationException if the fabric cannot: {@link Capabilities#mapsPeerMemory} tells
     * @throws dev.verbena.transfer.TransferException if the connection is lost or closed, or the peer has no region of that key any more, or
     *             none that peers may write to
     */
    default PeerMemory mapPeer(long rkey) {
        throw new UnsupportedOperationException("this fabric cannot map memory of peers; write to it by a request");
    }

    /**
     * As {@link #mapPeer}, for reading only, of a region that peers may read: a write to its bytes throws, and one to their addresses, which nothing
     * checks, ends the process.
     */
    default PeerMemory mapPeerForReading(long rkey) {
        throw new UnsupportedOperationException("this fabric cannot map memory of peers; read it by a request");
    }

    /** Tells the peer why, as far as it still listens, then closes. */
    void abort(String cause);

    /**
     * To be called once, after {@link #close} or {@link #abort}: runs it, on any thread, when nothing of the peer's lands any more in memory
     * of this side, or is read there, through this connection; before, that memory must not be used for anything else, not even that of
     * receives which were flushed. At once where the device does the writing, which has stopped; where the peer's processor does it, when
     * the peer has stopped or is dead, which may be never.
     */
    default void whenQuiet(Runnable then) {
        then.run();
    }

    /**
     * Orderly end: the peer learns that it was meant. To be called when nobody posts to the queue pairs any more.
     * Idempotent.
     */
    @Override
    void close();
}
