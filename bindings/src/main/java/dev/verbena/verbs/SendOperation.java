package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.util.Set;

/**
 * What a send request does; an {@link ExtendedQueuePair} is created for a set of them.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_wr_opcode, enum ibv_qp_create_send_ops_flags, ibv_create_qp_ex(3).
 */
public enum SendOperation {
    /** Writes to the peer's memory, of which its program learns nothing; not for datagrams. */
    WRITE(IBV_WR_RDMA_WRITE(), IBV_QP_EX_WITH_RDMA_WRITE()),
    /** A write that also takes a receive of the peer's and puts 32 bits into its completion; not for datagrams. */
    WRITE_WITH_IMMEDIATE(IBV_WR_RDMA_WRITE_WITH_IMM(), IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM()),
    /** Sends a message into a receive that the peer has posted; for all types of queue pair. */
    SEND(IBV_WR_SEND(), IBV_QP_EX_WITH_SEND()),
    /** A send that also puts 32 bits into the peer's completion; for all types of queue pair. */
    SEND_WITH_IMMEDIATE(IBV_WR_SEND_WITH_IMM(), IBV_QP_EX_WITH_SEND_WITH_IMM()),
    /** A send that also makes an rkey of the peer's, of a memory window of type 2, invalid; not for datagrams. */
    SEND_WITH_INVALIDATE(IBV_WR_SEND_WITH_INV(), IBV_QP_EX_WITH_SEND_WITH_INV()),
    /** Reads the peer's memory into own memory; for reliable queue pairs only. */
    READ(IBV_WR_RDMA_READ(), IBV_QP_EX_WITH_RDMA_READ()),
    /** Swaps 8 aligned bytes of the peer's memory if they are as expected, and gets the old ones; for reliable queue pairs only. */
    COMPARE_AND_SWAP(IBV_WR_ATOMIC_CMP_AND_SWP(), IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP()),
    /** Adds to 8 aligned bytes of the peer's memory, and gets the old ones; for reliable queue pairs only. */
    FETCH_AND_ADD(IBV_WR_ATOMIC_FETCH_AND_ADD(), IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD()),
    /** Opens a part of an own region to the peer, through a memory window of type 2 and under a new rkey; not for datagrams. */
    BIND_MEMORY_WINDOW(IBV_WR_BIND_MW(), IBV_QP_EX_WITH_BIND_MW()),
    /** Takes an rkey of this side, of a memory window of type 2, back from the peer; not for datagrams. */
    LOCAL_INVALIDATE(IBV_WR_LOCAL_INV(), IBV_QP_EX_WITH_LOCAL_INV());

    private static final SendOperation[] BY_CODE = new SendOperation[16];

    static {
        for (SendOperation operation : values()) {
            BY_CODE[operation.code] = operation;
        }
    }

    private final int code;
    private final int bit;

    SendOperation(int code, int bit) {
        this.code = code;
        this.bit = bit;
    }

    /** Null for none. */
    static SendOperation of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }

    static long bits(Set<SendOperation> operations) {
        return operations.stream().mapToLong(operation -> operation.bit).reduce(0, (a, b) -> a | b);
    }
}
