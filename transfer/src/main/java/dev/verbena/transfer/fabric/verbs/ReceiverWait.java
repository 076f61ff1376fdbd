package dev.verbena.transfer.fabric.verbs;

import java.util.concurrent.TimeUnit;

import dev.verbena.transfer.spi.CompletionStatus;

/**
 * How long the peer has posted no receive for a send; where the device looks by itself for as long as is wanted, it is left to that.
 *
 * <p>Threading: confined to the queue pair's poller.
 */
final class ReceiverWait {
    private final PostedSends sends;
    private final SendPath path;
    private final long timeoutNs;
    private long first = -1;
    private long sinceNs;

    /** @param timeoutNs Long.MAX_VALUE for never */
    ReceiverWait(PostedSends sends, SendPath path, long timeoutNs) {
        this.sends = sends;
        this.path = path;
        this.timeoutNs = timeoutNs;
    }

    /** Whether a request waits, so that something is to be done in time. */
    boolean isOn() {
        return path.isAwaitingReceive() || awaiting() >= 0;
    }

    private long awaiting() {
        boolean isTimedHere = timeoutNs != Long.MAX_VALUE
                && !(path.isTold() && ReliablePair.isTimedByDevice(timeoutNs));
        return isTimedHere ? sends.firstThatConsumesReceive() : -1;
    }

    /** @return that the time is up; null while it is not */
    Failure look(long nowNs, String peer) {
        long awaiting = awaiting();
        if (awaiting < 0 || awaiting != first) {
            first = awaiting;
            sinceNs = nowNs;
            return null;
        }
        if (nowNs - sinceNs < timeoutNs) {
            return null;
        }
        CompletionStatus status = CompletionStatus.RECEIVER_NOT_READY;
        Failure notReady = Failure.of(sends.describe(first, status).describe() + " to " + peer
                + ": it posted no receive for " + TimeUnit.NANOSECONDS.toMillis(timeoutNs) + " ms")
                .withSend(first, status);
        return path.isTold() ? notReady : notReady.withDoneBefore();
    }
}
