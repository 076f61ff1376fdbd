package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.util.Set;

/**
 * What of a queue pair can be changed and asked for.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_qp_attr_mask, ibv_modify_qp(3).
 */
public enum QueuePairAttribute {
    /** The state to come to. */
    STATE(IBV_QP_STATE()),
    /** The state that the caller takes it to be in. */
    CURRENT_STATE(IBV_QP_CUR_STATE()),
    /** Whether an event tells that the send queue is drained. */
    DRAINED_NOTIFICATION(IBV_QP_EN_SQD_ASYNC_NOTIFY()),
    /** What peers may do. */
    ACCESS_FLAGS(IBV_QP_ACCESS_FLAGS()),
    /** Of the port's table of partition keys. */
    PARTITION_KEY_INDEX(IBV_QP_PKEY_INDEX()),
    /** The port that it uses. */
    PORT(IBV_QP_PORT()),
    /** What a datagram must carry to be taken. */
    QUEUE_KEY(IBV_QP_QKEY()),
    /** The way to the peer. */
    ADDRESS_VECTOR(IBV_QP_AV()),
    /** The largest packet. */
    PATH_MTU(IBV_QP_PATH_MTU()),
    /** How long an acknowledgement is waited for. */
    TIMEOUT(IBV_QP_TIMEOUT()),
    /** How often a request is sent again. */
    RETRY_COUNT(IBV_QP_RETRY_CNT()),
    /** How often a request is sent again that found no receive; 7 for ever. */
    RECEIVER_NOT_READY_RETRY(IBV_QP_RNR_RETRY()),
    /** The number of the first packet to arrive. */
    RECEIVE_PACKET_SEQUENCE(IBV_QP_RQ_PSN()),
    /** Own reads and atomics that may be under way. */
    READS_OUTSTANDING_MAX(IBV_QP_MAX_QP_RD_ATOMIC()),
    /** A second way to the peer. */
    ALTERNATE_PATH(IBV_QP_ALT_PATH()),
    /** How long a peer that found no receive shall wait. */
    RECEIVER_NOT_READY_TIMER(IBV_QP_MIN_RNR_TIMER()),
    /** The number of the first packet to leave. */
    SEND_PACKET_SEQUENCE(IBV_QP_SQ_PSN()),
    /** The peer's reads and atomics that may be under way. */
    READS_ACCEPTED_MAX(IBV_QP_MAX_DEST_RD_ATOMIC()),
    /** How far a change to the alternate path has come. */
    PATH_MIGRATION_STATE(IBV_QP_PATH_MIG_STATE()),
    /** Depths, elements, inline bytes. */
    CAPACITIES(IBV_QP_CAP()),
    /** The number of the peer's queue pair. */
    DESTINATION(IBV_QP_DEST_QPN()),
    /** Packet pacing. */
    RATE_LIMIT(IBV_QP_RATE_LIMIT());

    private final int bit;

    QueuePairAttribute(int bit) {
        this.bit = bit;
    }

    static int mask(Set<QueuePairAttribute> attributes) {
        return attributes.stream().mapToInt(attribute -> attribute.bit).reduce(0, (a, b) -> a | b);
    }
}
