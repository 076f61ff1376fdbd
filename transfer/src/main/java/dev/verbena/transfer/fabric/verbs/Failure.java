package dev.verbena.transfer.fabric.verbs;

import java.util.concurrent.TimeUnit;

import dev.verbena.transfer.spi.CompletionStatus;

/**
 * Why a queue pair failed, as far as it is known: the device names a status, the peer may know more. Nothing is delivered
 * before the cause is settled, or the peer has had its time to answer.
 *
 * <p>Threading: confined to the queue pair's poller.
 */
final class Failure {
    private static final long NONE = -1;
    private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(2);
    /** The device has by then said of everything handed to it that it is over, or it is not asked any more. */
    private static final long FLUSH_NS = TimeUnit.SECONDS.toNanos(2);

    private final long sinceNs = System.nanoTime();
    /** What this side says if nobody says more. */
    private final String ownWords;

    private String cause;
    private long firstAsked = NONE;
    private long failedSend = NONE;
    /** Whether all before it are known to be done. */
    private boolean isDoneBefore;
    private CompletionStatus failedSendStatus;
    private long failedReceive = NONE;
    private CompletionStatus failedReceiveStatus;
    /** Of the first send that is flushed where none failed by itself. */
    private CompletionStatus firstStatus = CompletionStatus.WORK_REQUEST_FLUSHED;

    private Failure(String ownWords) {
        this.ownWords = ownWords;
    }

    /** The cause is known. */
    static Failure of(String cause) {
        Failure failure = new Failure(cause);
        failure.cause = cause;
        return failure;
    }

    /** The peer has been asked about requests from that number on. */
    static Failure asking(String ownWords, long firstAsked) {
        Failure failure = new Failure(ownWords);
        failure.firstAsked = firstAsked;
        return failure;
    }

    /** The peer will tell by itself. */
    static Failure awaiting(String ownWords) {
        return new Failure(ownWords);
    }

    Failure withSend(long number, CompletionStatus status) {
        failedSend = number;
        failedSendStatus = status;
        return this;
    }

    /** All before the send that failed are done. */
    Failure withDoneBefore() {
        isDoneBefore = true;
        return this;
    }

    Failure withFirstStatus(CompletionStatus status) {
        firstStatus = status;
        return this;
    }

    /** The first receive that failed counts. */
    void receiveFailed(long number, CompletionStatus status) {
        if (failedReceive == NONE) {
            failedReceive = number;
            failedReceiveStatus = status;
        }
    }

    /** Which receive failed, or the one given. */
    long failedReceiveOr(long number) {
        return failedReceive == NONE ? number : failedReceive;
    }

    boolean isSettled() {
        return cause != null;
    }

    /**
     * The first cause counts.
     *
     * @param firstStatus of the first send that is flushed where none failed by itself
     */
    void settle(String cause, CompletionStatus firstStatus) {
        if (this.cause == null) {
            this.cause = cause;
            this.firstStatus = firstStatus;
        }
    }

    /** The peer has found out which of those it was asked about it was. */
    void settleAs(String cause, int culprit, CompletionStatus status) {
        if (this.cause == null && firstAsked != NONE) {
            this.cause = cause;
            withSend(firstAsked + culprit, status).withDoneBefore();
        }
    }

    /** Settles for what this side knows when the peer has had its time. @return whether the cause is settled */
    boolean isSettledBy(long nowNs) {
        if (cause == null && nowNs - sinceNs >= ANSWER_NS) {
            cause = ownWords;
        }
        return cause != null;
    }

    boolean isFlushOverdue(long nowNs) {
        return nowNs - sinceNs >= ANSWER_NS + FLUSH_NS;
    }

    String ownWords() {
        return ownWords;
    }

    String cause() {
        return cause;
    }

    /** How the send ended; to be asked once for each, in order. */
    CompletionStatus takeSendStatus(long number) {
        if (isDoneBefore && number < failedSend) {
            return CompletionStatus.SUCCESS;
        }
        CompletionStatus status = number == failedSend ? failedSendStatus
                : failedSend == NONE ? firstStatus : CompletionStatus.WORK_REQUEST_FLUSHED;
        firstStatus = CompletionStatus.WORK_REQUEST_FLUSHED;
        return status;
    }

    CompletionStatus receiveStatus(long number) {
        return number == failedReceive ? failedReceiveStatus : CompletionStatus.WORK_REQUEST_FLUSHED;
    }
}
