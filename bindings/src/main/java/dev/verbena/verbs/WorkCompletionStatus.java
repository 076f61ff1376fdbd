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
    /** The request is done: its memory may be used again, and what it fetched or received is there. */
    SUCCESS(IBV_WC_SUCCESS(), "done"),
    /** A receive is too small for the message that came, or a request exceeds the port's {@link Port#messageByteSizeMax}. */
    LOCAL_LENGTH_ERROR(IBV_WC_LOC_LEN_ERR(), "a receive is too small for its message, or a request is too long"),
    /** The device found the request, or the queue pair itself, inconsistent; Linux 6.1's soft-RoCE says so of too small a receive, too. */
    LOCAL_QUEUE_PAIR_OPERATION_ERROR(IBV_WC_LOC_QP_OP_ERR(), "the device found the request inconsistent"),
    /** Of reliable datagrams, which these bindings do not have: the device found its end-to-end context inconsistent. */
    LOCAL_EE_CONTEXT_OPERATION_ERROR(IBV_WC_LOC_EEC_OP_ERR(), "the end-to-end context is inconsistent"),
    /** An element is not within a memory region of the queue pair's protection domain, or the region lacks LOCAL_WRITE. */
    LOCAL_PROTECTION_ERROR(IBV_WC_LOC_PROT_ERR(),
            "an element is not within a region of the queue pair's protection domain, or lacks the right"),
    /**
     * The queue pair came to state ERROR before the request was done, since an earlier one failed or the connection ended; look for
     * the first completion with another status. Of a request that was under way it is open whether it took effect at the peer.
     */
    WORK_REQUEST_FLUSHED(IBV_WC_WR_FLUSH_ERR(), "the queue pair came to state ERROR before the request was done"),
    /** A memory window was not bound: its region lacks MEMORY_WINDOW_BIND for instance, or LOCAL_WRITE where the peer may write. */
    MEMORY_WINDOW_BIND_ERROR(IBV_WC_MW_BIND_ERR(), "the region does not allow such a window"),
    /** The peer's device answered with an opcode that does not belong to the request; usually a fault of a device, not of a program. */
    BAD_RESPONSE(IBV_WC_BAD_RESP_ERR(), "the peer answered with an unexpected operation"),
    /** Of a receive: the peer's write with immediate named memory of this side that does not allow it. */
    LOCAL_ACCESS_ERROR(IBV_WC_LOC_ACCESS_ERR(), "a write with immediate was refused by this side's own region"),
    /** The peer's device refused the request: its receive is too small, its queue pair does not allow it, or an atomic is not aligned. */
    REMOTE_INVALID_REQUEST(IBV_WC_REM_INV_REQ_ERR(),
            "the peer found the request invalid: its receive is too small, or it does not allow such requests"),
    /** The rkey is not valid at the peer, the address lies outside of its region, or the region does not allow the operation. */
    REMOTE_ACCESS_ERROR(IBV_WC_REM_ACCESS_ERR(),
            "the remote address and rkey name no region that allows it, there"),
    /** The peer's side failed to carry it out, for instance since its receive names no valid memory; its own completion says more. */
    REMOTE_OPERATION_ERROR(IBV_WC_REM_OP_ERR(), "the peer could not carry it out"),
    /** No acknowledgement came, however often it was sent: the peer is gone, is not connected yet, or has another address. */
    RETRY_EXCEEDED(IBV_WC_RETRY_EXC_ERR(),
            "the peer did not answer: it is gone, cannot be reached, or the GID is the wrong one"),
    /** The peer still had no receive posted when {@link Retries#receiverNotReadyCount} was used up; with 7 this never comes. */
    RECEIVER_NOT_READY_RETRY_EXCEEDED(IBV_WC_RNR_RETRY_EXC_ERR(), "the peer had no receive posted"),
    /** Of reliable datagrams, which these bindings do not have: the queue pair and its end-to-end context are of different domains. */
    LOCAL_RDD_VIOLATION(IBV_WC_LOC_RDD_VIOL_ERR(), "the reliable datagram domains differ"),
    /** Of reliable datagrams, which these bindings do not have: the peer's device found the message invalid. */
    REMOTE_INVALID_DATAGRAM_REQUEST(IBV_WC_REM_INV_RD_REQ_ERR(), "the peer found the reliable datagram invalid"),
    /** The other side aborted the operation before it was complete; it may have taken effect in part. */
    REMOTE_ABORTED(IBV_WC_REM_ABORT_ERR(), "the peer aborted the operation"),
    /** Of reliable datagrams, which these bindings do not have: there is no end-to-end context of that number. */
    INVALID_EE_CONTEXT_NUMBER(IBV_WC_INV_EECN_ERR(), "there is no such end-to-end context"),
    /** Of reliable datagrams, which these bindings do not have: the end-to-end context's state does not allow the operation. */
    INVALID_EE_CONTEXT_STATE(IBV_WC_INV_EEC_STATE_ERR(), "the end-to-end context is in another state"),
    /** The device or its driver failed, and may not recover: look for {@link AsyncEventType#DEVICE_FATAL}. */
    FATAL_ERROR(IBV_WC_FATAL_ERR(), "the device failed"),
    /** No response came in time; where acknowledgements stay away, devices say RETRY_EXCEEDED instead. */
    RESPONSE_TIMEOUT(IBV_WC_RESP_TIMEOUT_ERR(), "no answer in time"),
    /** An error that no other status fits; the completion's vendor error and the kernel's log may say more. */
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
