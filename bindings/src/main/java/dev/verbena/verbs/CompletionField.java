package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.util.Set;

/**
 * What an {@link ExtendedCompletionQueue} can be asked to keep of each completion besides the work request's id, status,
 * opcode, flags and the vendor's error. Each costs the device something.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_create_cq_wc_flags, ibv_create_cq_ex(3).
 */
public enum CompletionField {
    /** Bytes received or read. */
    BYTE_SIZE(IBV_WC_EX_WITH_BYTE_LEN()),
    /** The immediate of a send or write, or the rkey that a send invalidated. */
    IMMEDIATE(IBV_WC_EX_WITH_IMM()),
    /** Of the queue pair here. */
    QUEUE_PAIR_NUMBER(IBV_WC_EX_WITH_QP_NUM()),
    /** Of the queue pair that sent a datagram. */
    SOURCE_QUEUE_PAIR_NUMBER(IBV_WC_EX_WITH_SRC_QP()),
    /** The LID that a datagram came from. */
    SOURCE_LID(IBV_WC_EX_WITH_SLID()),
    /** The service level of a datagram. */
    SERVICE_LEVEL(IBV_WC_EX_WITH_SL()),
    /** The low bits of the LID that a datagram was sent to. */
    DESTINATION_PATH_BITS(IBV_WC_EX_WITH_DLID_PATH_BITS()),
    /** In ticks of the device's clock. */
    TIMESTAMP(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP()),
    /** In nanoseconds of the wall clock. */
    WALL_CLOCK_TIMESTAMP(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK());

    private final long bit;

    CompletionField(long bit) {
        this.bit = bit;
    }

    static long bits(Set<CompletionField> fields) {
        return fields.stream().mapToLong(field -> field.bit).reduce(0, (a, b) -> a | b);
    }
}
