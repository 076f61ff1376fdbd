package dev.verbena.transfer;

/**
 * Which way {@link RdmaChannel#memcpy} copies.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum Direction {
    /** An RDMA write: the remote region needs the right REMOTE_WRITE, the local one none. */
    LOCAL_TO_REMOTE,
    /** An RDMA read: the remote region needs the right REMOTE_READ, the local one LOCAL_WRITE. */
    REMOTE_TO_LOCAL
}
