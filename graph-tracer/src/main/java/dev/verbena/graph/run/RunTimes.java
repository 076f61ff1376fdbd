package dev.verbena.graph.run;

/**
 * Where the time of one run went, on the session's thread; nanoseconds.
 *
 * @param totalNs from its begin to its end
 * @param waitNs in which no node could go on: each that was left needed a peer, or a kernel on another thread. What the device does
 *        meanwhile on this thread, where callers make progress, is in it
 * @param copyNs in which it brought tensors across: Send and Receive nodes from a poll that succeeded on, with the copy into registered memory where
 *        one is made, and with what the fabric moves on the calling thread ({@code shm}: the bytes; RDMA: nothing but the posting); and variables
 *        on their way into registered memory
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record RunTimes(long totalNs, long waitNs, long copyNs) {
    /** Of a session that has not run. */
    public static final RunTimes NONE = new RunTimes(0, 0, 0);

    /** All other time: kernels, and who calls them. */
    public long computeNs() {
        return totalNs - waitNs - copyNs;
    }
}
