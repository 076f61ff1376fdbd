package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * How far a queue pair has come.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_qp_state, ibv_modify_qp(3).
 */
public enum QueuePairState {
    /** Newly created. Nothing may be posted. */
    RESET(IBV_QPS_RESET()),
    /** Receives may be posted; nothing arrives. */
    INIT(IBV_QPS_INIT()),
    /** Ready to receive. */
    READY_TO_RECEIVE(IBV_QPS_RTR()),
    /** Ready to send, and to receive. */
    READY_TO_SEND(IBV_QPS_RTS()),
    /** The send queue is being drained. */
    SEND_QUEUE_DRAINED(IBV_QPS_SQD()),
    /** The send queue failed; receiving goes on. Not for reliable queue pairs. */
    SEND_QUEUE_ERROR(IBV_QPS_SQE()),
    /** What is posted is flushed. */
    ERROR(IBV_QPS_ERR()),
    /** One that these bindings do not know. */
    UNKNOWN(IBV_QPS_UNKNOWN());

    private final int code;

    QueuePairState(int code) {
        this.code = code;
    }

    static QueuePairState of(int code) {
        for (QueuePairState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        return UNKNOWN;
    }

    int code() {
        return code;
    }
}
