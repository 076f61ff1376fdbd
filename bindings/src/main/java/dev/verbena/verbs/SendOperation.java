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
    WRITE(IBV_WR_RDMA_WRITE(), IBV_QP_EX_WITH_RDMA_WRITE()),
    WRITE_WITH_IMMEDIATE(IBV_WR_RDMA_WRITE_WITH_IMM(), IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM()),
    SEND(IBV_WR_SEND(), IBV_QP_EX_WITH_SEND()),
    SEND_WITH_IMMEDIATE(IBV_WR_SEND_WITH_IMM(), IBV_QP_EX_WITH_SEND_WITH_IMM()),
    SEND_WITH_INVALIDATE(IBV_WR_SEND_WITH_INV(), IBV_QP_EX_WITH_SEND_WITH_INV()),
    READ(IBV_WR_RDMA_READ(), IBV_QP_EX_WITH_RDMA_READ()),
    COMPARE_AND_SWAP(IBV_WR_ATOMIC_CMP_AND_SWP(), IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP()),
    FETCH_AND_ADD(IBV_WR_ATOMIC_FETCH_AND_ADD(), IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD()),
    BIND_MEMORY_WINDOW(IBV_WR_BIND_MW(), IBV_QP_EX_WITH_BIND_MW()),
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
