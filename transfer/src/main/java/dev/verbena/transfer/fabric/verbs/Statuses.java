package dev.verbena.transfer.fabric.verbs;

import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.verbs.WorkCompletionStatus;

/** What the device's statuses are called in a fabric. */
final class Statuses {
    private Statuses() {}

    static CompletionStatus ofSend(WorkCompletionStatus status) {
        return switch (status) {
            case SUCCESS -> CompletionStatus.SUCCESS;
            case LOCAL_LENGTH_ERROR -> CompletionStatus.LOCAL_LENGTH_ERROR;
            case LOCAL_PROTECTION_ERROR, LOCAL_QUEUE_PAIR_OPERATION_ERROR, LOCAL_ACCESS_ERROR,
                    MEMORY_WINDOW_BIND_ERROR ->
                CompletionStatus.LOCAL_PROTECTION_ERROR;
            case WORK_REQUEST_FLUSHED -> CompletionStatus.WORK_REQUEST_FLUSHED;
            case REMOTE_INVALID_REQUEST, REMOTE_OPERATION_ERROR, BAD_RESPONSE, REMOTE_INVALID_DATAGRAM_REQUEST,
                    REMOTE_ABORTED ->
                CompletionStatus.REMOTE_INVALID_REQUEST;
            case REMOTE_ACCESS_ERROR -> CompletionStatus.REMOTE_ACCESS_ERROR;
            case RECEIVER_NOT_READY_RETRY_EXCEEDED -> CompletionStatus.RECEIVER_NOT_READY;
            default -> CompletionStatus.RETRY_EXCEEDED;
        };
    }
}
