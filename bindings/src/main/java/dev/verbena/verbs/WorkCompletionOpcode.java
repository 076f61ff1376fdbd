package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * What a completed request was.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_wc_opcode.
 */
public enum WorkCompletionOpcode {
    /** A send of this side, with immediate and with invalidate too; datagrams and unreliable ones may be lost all the same. */
    SEND(IBV_WC_SEND()),
    /** A write of this side, with immediate too; an unreliable one may be lost all the same. */
    WRITE(IBV_WC_RDMA_WRITE()),
    /** A read of this side: the peer's bytes are in its elements. */
    READ(IBV_WC_RDMA_READ()),
    /** A compare and swap of this side, whether it swapped or not: the old 8 bytes are in its element. */
    COMPARE_AND_SWAP(IBV_WC_COMP_SWAP()),
    /** A fetch and add of this side: the old 8 bytes are in its element. */
    FETCH_AND_ADD(IBV_WC_FETCH_ADD()),
    /** A bind of a memory window of this side, of either type: it has taken effect. */
    BIND_MEMORY_WINDOW(IBV_WC_BIND_MW()),
    /** An own request has made an rkey of this side invalid; that a peer's did {@link WorkCompletions#hasInvalidatedRkey} tells. */
    LOCAL_INVALIDATE(IBV_WC_LOCAL_INV()),
    /** A send arrived in a receive. */
    RECEIVE(IBV_WC_RECV()),
    /** A write with immediate consumed a receive. */
    RECEIVE_WRITE_WITH_IMMEDIATE(IBV_WC_RECV_RDMA_WITH_IMM()),
    /** One that these bindings do not know. */
    UNKNOWN(-1);

    private static final WorkCompletionOpcode[] BY_CODE = new WorkCompletionOpcode[256];

    static {
        for (WorkCompletionOpcode opcode : values()) {
            if (opcode.code >= 0) {
                BY_CODE[opcode.code] = opcode;
            }
        }
    }

    private final int code;

    WorkCompletionOpcode(int code) {
        this.code = code;
    }

    static WorkCompletionOpcode of(int code) {
        WorkCompletionOpcode opcode = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        return opcode == null ? UNKNOWN : opcode;
    }
}
