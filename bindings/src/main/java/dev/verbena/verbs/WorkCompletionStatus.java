package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * How a work request ended.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_wc_status, ibv_poll_cq(3); the causes from the InfiniBand Architecture Specification volume 1,
 * §10.10.3 and §11.6.2.
 */
public enum WorkCompletionStatus {
    SUCCESS(IBV_WC_SUCCESS(), "done"),
    LOCAL_LENGTH_ERROR(IBV_WC_LOC_LEN_ERR(), "a receive is too small for its message, or a request is too long"),
    LOCAL_QUEUE_PAIR_OPERATION_ERROR(IBV_WC_LOC_QP_OP_ERR(), "the device found the request inconsistent"),
    LOCAL_EE_CONTEXT_OPERATION_ERROR(IBV_WC_LOC_EEC_OP_ERR(), "the end-to-end context is inconsistent"),
    LOCAL_PROTECTION_ERROR(IBV_WC_LOC_PROT_ERR(),
            "an element is not within a region of the queue pair's protection domain, or lacks the right"),
    WORK_REQUEST_FLUSHED(IBV_WC_WR_FLUSH_ERR(), "the queue pair was in state ERROR before the request's turn came"),
    MEMORY_WINDOW_BIND_ERROR(IBV_WC_MW_BIND_ERR(), "the region does not allow such a window"),
    BAD_RESPONSE(IBV_WC_BAD_RESP_ERR(), "the peer answered with an unexpected operation"),
    LOCAL_ACCESS_ERROR(IBV_WC_LOC_ACCESS_ERR(), "a write with immediate was refused by this side's own region"),
    REMOTE_INVALID_REQUEST(IBV_WC_REM_INV_REQ_ERR(),
            "the peer found the request invalid: its receive is too small, or it does not allow such requests"),
    REMOTE_ACCESS_ERROR(IBV_WC_REM_ACCESS_ERR(),
            "the remote address and rkey name no region that allows it, there"),
    REMOTE_OPERATION_ERROR(IBV_WC_REM_OP_ERR(), "the peer could not carry it out"),
    RETRY_EXCEEDED(IBV_WC_RETRY_EXC_ERR(),
            "the peer did not answer: it is gone, cannot be reached, or the GID is the wrong one"),
    RECEIVER_NOT_READY_RETRY_EXCEEDED(IBV_WC_RNR_RETRY_EXC_ERR(), "the peer had no receive posted"),
    LOCAL_RDD_VIOLATION(IBV_WC_LOC_RDD_VIOL_ERR(), "the reliable datagram domains differ"),
    REMOTE_INVALID_READ_REQUEST(IBV_WC_REM_INV_RD_REQ_ERR(), "the peer found the reliable datagram invalid"),
    REMOTE_ABORTED(IBV_WC_REM_ABORT_ERR(), "the peer aborted the operation"),
    INVALID_EE_CONTEXT_NUMBER(IBV_WC_INV_EECN_ERR(), "there is no such end-to-end context"),
    INVALID_EE_CONTEXT_STATE(IBV_WC_INV_EEC_STATE_ERR(), "the end-to-end context is in another state"),
    FATAL_ERROR(IBV_WC_FATAL_ERR(), "the device failed"),
    RESPONSE_TIMEOUT(IBV_WC_RESP_TIMEOUT_ERR(), "no answer in time"),
    GENERAL_ERROR(IBV_WC_GENERAL_ERR(), "an error that fits nowhere else"),
    /** One that these bindings do not know. */
    UNKNOWN(-1, "a status newer than these bindings");

    private static final WorkCompletionStatus[] BY_CODE = new WorkCompletionStatus[GENERAL_ERROR.code + 1];

    static {
        for (WorkCompletionStatus status : values()) {
            if (status.code >= 0) {
                BY_CODE[status.code] = status;
            }
        }
    }

    private final int code;
    private final String meaning;

    WorkCompletionStatus(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
    }

    static WorkCompletionStatus of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : UNKNOWN;
    }

    /** The commonest cause in words. */
    public String meaning() {
        return meaning;
    }
}
