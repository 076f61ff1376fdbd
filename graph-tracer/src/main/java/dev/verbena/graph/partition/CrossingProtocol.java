package dev.verbena.graph.partition;

/**
 * How a tensor gets into another process.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @see <a href="https://doi.org/10.1145/3302424.3303975">Xue et al.: Fast Distributed Deep Learning over RDMA, EuroSys'19, §3.2 and §3.3</a>
 */
public enum CrossingProtocol {
    /** Written into a slot that the receiver has had for it all along: its size is known before the run. */
    STATIC_PLACEMENT,
    /** The receiver allocates it when it hears how large it is, and reads it. */
    DYNAMIC_ALLOCATION
}
