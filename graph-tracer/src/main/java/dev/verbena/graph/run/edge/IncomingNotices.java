package dev.verbena.graph.run.edge;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.memory.Tensor;
import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TransferException;

/**
 * Hears what runs of a peer are about to send, and takes no tensor of a run that was given other targets.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> confined to the session's thread.
 */
public final class IncomingNotices implements PeerNotices {
    private final String task;
    private final String peer;
    private final TensorReceiver receiver;
    private final List<Heard> edges = new ArrayList<>();
    /** Of those that receive from the peer, from 1; as long as both agree, the peer counts the same ones. */
    private long run;
    /** Null if it receives nothing from the peer. */
    private RunNotice present;
    /** What the peer's runs need from that one on, up to the present one as far as is known. */
    private RunNotice told = RunNotice.NONE;
    private long toldRun;
    /** Of a coming run; null if none is known of. */
    private RunNotice next;
    private long nextRun;
    private boolean isAgreed;
    private boolean isLost;

    public IncomingNotices(String task, String peer, TensorReceiver receiver) {
        this.task = task;
        this.peer = peer;
        this.receiver = receiver;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public void begin(RunNotice notice) {
        present = notice != null && notice.receives() ? notice : null;
        isAgreed = false;
        if (present != null) {
            run++;
        }
    }

    /**
     * An edge from the peer, along which tensors are taken that are of the present run.
     *
     * @return to be closed before the edge
     */
    public Heard after(IncomingEdge edge) {
        Heard heard = new Heard(edge);
        edges.add(heard);
        return heard;
    }

    /**
     * Looks whether the peer runs what is run here.
     *
     * @param hasArrived whether a tensor that has not been taken was there before
     * @throws TransferException if it needs other edges
     */
    private void check(boolean hasArrived) {
        if (isAgreed) {
            return;
        }
        hear();
        boolean isKnown = toldRun == run || next != null || hasArrived && isSeenInOrder();
        boolean agrees = present.agreesWith(told);
        if (isKnown && !agrees) {
            throw new TransferException("task=" + peer + " runs " + told.whose() + ", task=" + task + " runs "
                    + present.whose()
                    + ", and these need other tensors of each other; give all tasks the same targets, "
                    + "run by run");
        }
        isAgreed = isKnown;
        // It says something new in time, or goes on as before, which only other edges than ours may tell.
        if (!isKnown && !hasArrived && !agrees && edges.stream().anyMatch(Heard::hasArrived)) {
            check(true);
        }
    }

    /** Whether a notice that was in place before a tensor is seen before it, too. */
    private boolean isSeenInOrder() {
        return isLost || receiver.arrivalMode() != ArrivalMode.IMMEDIATE;
    }

    /** Notices up to the present run, and one beyond. */
    private void hear() {
        while (true) {
            if (next == null) {
                Tensor arrived = poll();
                if (arrived == null) {
                    return;
                }
                next = RunNotice.read(arrived.memory());
                nextRun = RunNotice.readRun(arrived.memory());
                arrived.close();
            }
            if (nextRun > run) {
                return;
            }
            told = next;
            toldRun = nextRun;
            next = null;
        }
    }

    /** A peer that is lost has told all that it will; tensors of it may still be there to be taken, and edges say so when none is. */
    private Tensor poll() {
        if (isLost) {
            return null;
        }
        try {
            return receiver.poll();
        } catch (TransferException e) {
            isLost = true;
            return null;
        }
    }

    /**
     * An edge from the peer.
     *
     * <p><b>Owner:</b> the session. <b>Threading:</b> confined to the session's thread.
     */
    public final class Heard implements IncomingEdge {
        private final IncomingEdge edge;
        /** It was looked at, and is still to be taken. */
        private Tensor seen;
        /** As was that there is none. */
        private boolean isDeadSeen;
        /** Why none comes any more; null as long as some may. */
        private TransferException lost;

        private Heard(IncomingEdge edge) {
            this.edge = edge;
        }

        @Override
        public Tensor poll() {
            boolean hasArrived = hasArrived();
            check(hasArrived);
            if (!hasArrived && lost != null) {
                throw lost;
            }
            if (!isAgreed) {
                return null;
            }
            Tensor taken = seen;
            seen = null;
            return taken;
        }

        /** Of what the last poll found. */
        @Override
        public boolean pollDead() {
            boolean isDead = isDeadSeen && isAgreed;
            isDeadSeen &= !isDead;
            return isDead;
        }

        private boolean hasArrived() {
            if (seen == null && !isDeadSeen && lost == null) {
                try {
                    seen = edge.poll();
                    isDeadSeen = seen == null && edge.pollDead();
                } catch (TransferException e) {
                    // Another edge may have a tensor that says more.
                    lost = e;
                }
            }
            return seen != null || isDeadSeen;
        }

        @Override
        public boolean lacksRoom() {
            return edge.lacksRoom();
        }

        public void close() {
            if (seen != null) {
                seen.close();
                seen = null;
            }
        }
    }
}
