package dev.verbena.transfer.fabric.verbs;

import dev.verbena.transfer.fabric.control.Frame;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.verbs.WorkCompletionStatus;

/**
 * Why a queue pair failed, found out by both sides together: each tells the other what it knows, and asks about what its device does
 * not say. Whichever hears first that it failed, moves it to ERROR.
 *
 * <p>Threading: confined to the queue pair's poller; {@link #hasNews}, {@link #lose}, {@link #end} and those that say what the
 * peer does are thread-safe.
 */
final class Inquiry {
    private static final String ENDED = "the connection of its queue pair has ended";

    private final VerbsQueuePair pair;
    /** Of the queue pair in its connection. */
    private final int index;
    private final PostedSends sends;
    private final PostedReceives receives;
    private final PeerRequests peerRequests;
    /** Null while the queue pair is READY. */
    private Failure failure;

    // Set by other threads, taken up by the next poll.
    private volatile String lostCause;
    private volatile FailedRequest question;
    private volatile Suspects suspects;
    private volatile Verdict told;
    private volatile String endCause;

    Inquiry(VerbsQueuePair pair, int index, PostedSends sends, PostedReceives receives,
            PeerRequests peerRequests) {
        this.pair = pair;
        this.index = index;
        this.sends = sends;
        this.receives = receives;
        this.peerRequests = peerRequests;
    }

    /** Null while the queue pair is READY. */
    Failure failure() {
        return failure;
    }

    private String peer() {
        return pair.connection().peer();
    }

    // ---- what this side knows ----

    /** Fails it, if that has not happened yet, for a reason that the peer is told. */
    void fail(String cause) {
        if (pair.isReady()) {
            fail(Failure.of(cause));
        }
    }

    /** The same, of one that is READY and a failure whose cause is known. */
    void fail(Failure known) {
        enterError(known);
        tell(Verdict.own(index, known.cause()));
    }

    private void enterError(Failure failure) {
        this.failure = failure;
        pair.enterError();
    }

    private void tell(Verdict verdict) {
        pair.connection().send(Frame.Type.VERDICT, verdict.encode());
    }

    /** The device says so, of a queue pair that is READY. */
    void sendFailed(long number, WorkCompletionStatus deviceStatus) {
        if (deviceStatus == WorkCompletionStatus.WORK_REQUEST_FLUSHED) {
            enterError(Failure.awaiting("the queue pair failed, and " + peer() + " does not say why"));
            return;
        }
        CompletionStatus status = Statuses.ofSend(deviceStatus);
        FailedRequest failed = sends.describe(number, status);
        String words = failed.describe() + " to " + peer() + ": " + deviceStatus.meaning();
        if (status == CompletionStatus.RECEIVER_NOT_READY || status == CompletionStatus.LOCAL_PROTECTION_ERROR) {
            fail(Failure.of(words).withSend(number, status));
        } else {
            enterError(Failure.asking(words, number).withSend(number, status));
            pair.connection().send(Frame.Type.FAILED, failed.encode());
        }
    }

    /** The device says so. */
    void receiveFailed(long number, WorkCompletionStatus deviceStatus) {
        // A write with immediate that is refused takes a receive with it on some devices; the receive is not to blame.
        boolean isFlushed = deviceStatus == WorkCompletionStatus.WORK_REQUEST_FLUSHED
                || deviceStatus == WorkCompletionStatus.REMOTE_ACCESS_ERROR
                || deviceStatus == WorkCompletionStatus.LOCAL_ACCESS_ERROR;
        if (pair.isReady() && isFlushed && !pair.isTold()) {
            endUntold(ENDED);
        } else if (pair.isReady()) {
            enterError(Failure.awaiting((isFlushed ? "the queue pair failed" : receives.fault(number)) + ", and "
                    + peer() + " does not say more"));
        }
        if (!isFlushed) {
            takeMisfit(number);
        }
    }

    /** The connection has ended, and the device does not say over what: the peer is asked about all that it may have been. */
    void endUntold(String words) {
        Suspects all = new Suspects(index, sends.suspects());
        enterError(Failure.asking(words + ", and " + peer() + " does not say why", sends.next())
                .withFirstStatus(CompletionStatus.RETRY_EXCEEDED));
        pair.connection().send(Frame.Type.SUSPECTS, all.encode());
    }

    private void takeMisfit(long receive) {
        failure.receiveFailed(receive, receives.refusal(receive) == null ? CompletionStatus.LOCAL_LENGTH_ERROR
                : CompletionStatus.LOCAL_PROTECTION_ERROR);
    }

    // ---- what others say, from their threads ----

    void lose(String cause) {
        lostCause = cause;
        pair.completionQueue().signalNews();
    }

    void peerAsks(FailedRequest failed) {
        question = failed;
        pair.completionQueue().signalNews();
    }

    void peerSuspects(Suspects all) {
        suspects = all;
        pair.completionQueue().signalNews();
    }

    void peerTells(Verdict verdict) {
        told = verdict;
        pair.completionQueue().signalNews();
    }

    /** From the connection manager's thread: the connection under it is gone. */
    void end(String cause) {
        endCause = cause;
        pair.completionQueue().signalNews();
    }

    /** Whether something was said that no poll has taken up; each is that the queue pair failed. */
    boolean hasNews() {
        return lostCause != null || told != null || question != null || suspects != null || endCause != null;
    }

    // ---- taking it up ----

    /** Called with the completion queue's lock, while the queue pair is not closed. */
    void takeNews() {
        FailedRequest asked = question;
        if (asked != null) {
            question = null;
            answer(asked);
        }
        if (endCause != null && pair.isReady()) {
            endUnsaid(endCause);
        }
        // What the peer asked before it told something is heard before that.
        Verdict verdict = told;
        told = null;
        Suspects all = suspects;
        if (all != null) {
            suspects = null;
            judge(all);
        }
        if (verdict != null) {
            hear(verdict);
        }
        String lost = lostCause;
        if (lost != null) {
            settle(failure == null ? lost : failure.ownWords() + "; " + lost, CompletionStatus.RETRY_EXCEEDED);
        }
    }

    private void answer(FailedRequest asked) {
        String verdict = peerRequests.verdict(asked,
                failure == null ? receives.next() : failure.failedReceiveOr(receives.next()));
        settle(peer() + " failed: " + verdict, CompletionStatus.WORK_REQUEST_FLUSHED);
        tell(new Verdict(index, 0, asked.status(), verdict));
    }

    /** The connection manager says so. */
    private void endUnsaid(String words) {
        if (pair.isTold()) {
            enterError(Failure.awaiting(words + ", and " + peer() + " does not say why"));
        } else {
            endUntold(words);
        }
    }

    private void judge(Suspects all) {
        if (pair.isReady()) {
            endUntold(ENDED);
        }
        Verdict verdict = peerRequests.judge(all);
        if (verdict != null) {
            if (verdict.status() == CompletionStatus.REMOTE_INVALID_REQUEST) {
                takeMisfit(receives.number(all.all().get(verdict.culprit()).messageNumber()));
            }
            settle(peer() + " failed: " + verdict.text(), CompletionStatus.WORK_REQUEST_FLUSHED);
            tell(verdict);
        } else {
            tell(failure.isSettled() ? Verdict.own(index, failure.cause()) : Verdict.nothing(index));
        }
    }

    private void hear(Verdict verdict) {
        if (verdict.culprit() >= 0 && failure != null) {
            failure.settleAs(verdict.text(), verdict.culprit(), verdict.status());
        } else if (verdict.culprit() == Verdict.OWN) {
            settle(peer() + " failed: " + verdict.text(), CompletionStatus.WORK_REQUEST_FLUSHED);
        } else if (failure != null) {
            failure.settle(failure.ownWords(), CompletionStatus.RETRY_EXCEEDED);
        }
    }

    private void settle(String cause, CompletionStatus firstStatus) {
        if (failure == null) {
            enterError(Failure.of(cause).withFirstStatus(firstStatus));
        } else {
            failure.settle(cause, firstStatus);
        }
    }
}
