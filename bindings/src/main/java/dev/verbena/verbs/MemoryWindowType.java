package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * How a memory window is bound and invalidated.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_mw_type, ibv_alloc_mw(3).
 */
public enum MemoryWindowType {
    /** Bound by {@link QueuePair#bind}, which chooses the rkey; open to all queue pairs of the protection domain. */
    TYPE_1(IBV_MW_TYPE_1()),
    /**
     * Bound by a send request, open to that queue pair's peer only; invalidated by a local request or by the peer's send.
     */
    TYPE_2(IBV_MW_TYPE_2());

    private final int code;

    MemoryWindowType(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
