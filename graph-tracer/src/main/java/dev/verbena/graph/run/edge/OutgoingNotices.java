package dev.verbena.graph.run.edge;

import dev.verbena.graph.run.execution.Activity;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TensorSender;
import dev.verbena.transfer.TransferException;

/**
 * Tells a peer what a run is about to send it, where that is another thing than before.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> confined to the session's thread, but for the callback.
 */
public final class OutgoingNotices implements PeerNotices, SendCallback {
    private final String peer;
    private final Activity activity;
    private final TensorSender sender;
    private final Tensor memory;
    private final boolean isEachTold;
    /** Of those that send to the peer, from 1. */
    private long run;
    /** Null if it sends nothing to the peer. */
    private RunNotice present;
    /** The last one; null before the first. */
    private RunNotice told;
    private boolean isOwed;
    /** Whether the peer is told of the present run itself, not only of an earlier one like it. */
    private boolean isPresentTold;
    /** While it is being sent. */
    private volatile boolean isBusy;
    private volatile TransferException failure;

    /** @param memory registered, for one notice */
    public OutgoingNotices(String peer, Activity activity, TensorSender sender, Tensor memory) {
        this.peer = peer;
        this.activity = activity;
        this.sender = sender;
        this.memory = memory;
        this.isEachTold = sender.arrivalMode() == ArrivalMode.IMMEDIATE;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public void begin(RunNotice notice) {
        present = notice != null && notice.sends() ? notice : null;
        isOwed = present != null && (isEachTold || !present.equals(told));
        isPresentTold = isOwed;
        if (present != null) {
            run++;
            tell();
        }
    }

    @Override
    public void onWaiting() {
        if (present != null && !isPresentTold) {
            isPresentTold = true;
            isOwed = true;
        }
        try {
            tell();
        } catch (TransferException e) {
            // It is through with its runs, or lost; an edge that needs it says which.
            isOwed = false;
        }
    }

    /** An edge to the peer, along which a tensor leaves when the notice of its run is in place. */
    public OutgoingEdge before(OutgoingEdge edge) {
        return new OutgoingEdge() {
            @Override
            public boolean isRegistered(Tensor tensor) {
                return edge.isRegistered(tensor);
            }

            @Override
            public boolean copiesEach() {
                return edge.copiesEach();
            }

            @Override
            public boolean lends() {
                return edge.lends();
            }

            @Override
            public Tensor place() {
                return edge.place();
            }

            @Override
            public SendResult offer(Tensor tensor, SendCallback callback) {
                return isTold() ? edge.offer(tensor, callback) : SendResult.BACK_PRESSURED;
            }

            @Override
            public SendResult offerDead(SendCallback callback) {
                return isTold() ? edge.offerDead(callback) : SendResult.BACK_PRESSURED;
            }

            @Override
            public SendResult offerCopied(Tensor copy, SendCallback callback) {
                return isTold() ? edge.offerCopied(copy, callback) : SendResult.BACK_PRESSURED;
            }
        };
    }

    private boolean isTold() {
        tell();
        if (failure != null) {
            throw failure;
        }
        return !isOwed && !isBusy;
    }

    /** If the peer still has all slots full of earlier ones, the next call tries again. */
    private void tell() {
        if (!isOwed || isBusy) {
            return;
        }
        present.write(memory.memory(), run);
        // Before: its end may be told at once.
        isBusy = true;
        if (sender.offer(memory, this) == SendResult.SENT) {
            told = present;
            isOwed = false;
        } else {
            isBusy = false;
        }
    }

    @Override
    public void onComplete(TransferException cause) {
        failure = cause;
        isBusy = false;
        activity.wakeUp();
    }
}
