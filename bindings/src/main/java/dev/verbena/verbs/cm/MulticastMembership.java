package dev.verbena.verbs.cm;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * What a member of a multicast group does there.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum rdma_cm_mc_join_flags, rdma_join_multicast_ex(3).
 */
public enum MulticastMembership {
    /** Its queue pair gets what is sent to the group. */
    FULL(RDMA_MC_JOIN_FLAG_FULLMEMBER()),
    /** It learns how to send to the group. */
    SEND_ONLY(RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER());

    private final int code;

    MulticastMembership(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
