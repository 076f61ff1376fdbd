package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * What a queue pair promises.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_qp_type, ibv_create_qp(3).
 */
public enum QueuePairType {
    /** Reliable, in order, to one peer: all operations. */
    RELIABLE_CONNECTED(IBV_QPT_RC()),
    /** To one peer, what is lost is lost: send and write. */
    UNRELIABLE_CONNECTED(IBV_QPT_UC()),
    /** Datagrams to any peer: send. */
    UNRELIABLE_DATAGRAM(IBV_QPT_UD());

    private final int code;

    QueuePairType(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
