package dev.verbena.testing.sim;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * Carries out the requests of a queue pair, one after the other, as its device and the peer's would.
 *
 * <pre>
 *   arrives ──► takes a receive, if it needs one ──► lands, piece by piece ──► is answered
 *      ▲             │ none there: waits                     │
 *      └─────────────┘                                       └► the next one arrives
 * </pre>
 *
 * Each arrow is an event, which comes to nothing if the queue pair or its peer's has failed meanwhile.
 *
 * <p><b>Owner:</b> the queue pair. <b>Threading:</b> confined to the simulation.
 */
final class Initiator {
    private final Simulation simulation;
    private final SimQueuePair queuePair;
    private final SendQueue sends;
    private final long receiverNotReadyTimeoutNs;
    private final Lane answers;
    /** Those that have not landed; no more than one, if all is as it shall be. */
    private final Set<SimRequest> running = new LinkedHashSet<>();

    Initiator(Simulation simulation, SimQueuePair queuePair, SendQueue sends, long receiverNotReadyTimeoutNs) {
        this.simulation = simulation;
        this.queuePair = queuePair;
        this.sends = sends;
        this.receiverNotReadyTimeoutNs = receiverNotReadyTimeoutNs;
        answers = new Lane(simulation);
    }

    /** Begins with the next request, if its turn has come. */
    void goOn() {
        while (queuePair.state() == SimQueuePair.State.READY
                && (running.isEmpty() || !simulation.conduct().isInTurn())) {
            SimRequest next = sends.next();
            if (next == null) {
                return;
            }
            running.add(next);
            step(next, "arrives", () -> arrive(next));
        }
    }

    private void step(SimRequest request, String what, Runnable action) {
        simulation.later(name(request, what), () -> {
            if (isUnderWay(request)) {
                action.run();
            }
        });
    }

    private String name(SimRequest request, String what) {
        return queuePair + " " + request + " " + what;
    }

    private boolean isUnderWay(SimRequest request) {
        if (outlivesTarget(request)) {
            return true;
        }
        boolean mayGoOn = queuePair.state() == SimQueuePair.State.READY || request.isStraggling()
                || !simulation.conduct().stopsWhenFailed() && queuePair.state() != SimQueuePair.State.CLOSED;
        return mayGoOn && !request.isFailing && running.contains(request) && queuePair.reachesPeer();
    }

    /** Whether it goes on although its target has closed: the peer's processor is in the midst of it. */
    private boolean outlivesTarget(SimRequest request) {
        return simulation.chance().isSet(Fault.WRITES_OUTLIVE_TARGET) && request.piecesLeft > 0
                && queuePair.isTargetClosed() && running.contains(request);
    }

    // ---- before the first byte ----

    private void arrive(SimRequest request) {
        String local = request.localRefusal();
        long byteSizeMax = simulation.plan().get(Fault.MESSAGE_BYTE_SIZE_MAX);
        if (request.isLongerThan(byteSizeMax)) {
            fail(request, CompletionStatus.LOCAL_LENGTH_ERROR,
                    request.opcode() + " of more than byteSize=" + byteSizeMax + " must be split");
        } else if (local != null) {
            fail(request, CompletionStatus.LOCAL_PROTECTION_ERROR, request.opcode() + ": " + local);
        } else if (isAllowed(request) && hasReceive(request)) {
            if (request.opcode() == Opcode.SEND) {
                startSend(request);
            } else {
                start(request, remoteRegion(request));
            }
        }
    }

    private SimRegion remoteRegion(SimRequest request) {
        return queuePair.peer().memory().find(request.request().rkey);
    }

    /** Whether the peer lets it; if not, it fails. */
    private boolean isAllowed(SimRequest request) {
        WorkRequest wanted = request.request();
        AccessRight right = RequestRules.remoteRight(wanted.opcode);
        long byteSize = wanted.totalByteSize();
        // As InfiniBand has it (C9-88): without a byte there is no access to check.
        if (right == null || byteSize == 0) {
            return true;
        }
        SimRegion region = remoteRegion(request);
        boolean isChecked = simulation.conduct().checksAccess();
        if (wanted.opcode.isAtomic() && wanted.remoteAddress % Long.BYTES != 0) {
            refuse(request, CompletionStatus.REMOTE_INVALID_REQUEST, "an atomic must be 8-byte aligned");
        } else if (region == null) {
            refuse(request, CompletionStatus.REMOTE_ACCESS_ERROR, "no live region has this rkey");
        } else if (!region.contains(wanted.remoteAddress, byteSize)) {
            refuse(request, CompletionStatus.REMOTE_ACCESS_ERROR, "outside the region address=0x"
                    + Long.toHexString(region.address()) + " byteSize=" + region.byteSize());
        } else if (isChecked && !region.rights().contains(right)) {
            refuse(request, CompletionStatus.REMOTE_ACCESS_ERROR, "the region lacks " + right);
        } else {
            return true;
        }
        return false;
    }

    /** Whether it needs no receive, or has taken one; if not, it waits, or fails. */
    private boolean hasReceive(SimRequest request) {
        if (!request.opcode().consumesReceive()) {
            return true;
        }
        boolean isPatient = receiverNotReadyTimeoutNs > 0;
        if (isPatient && simulation.chance().happens(Fault.MISSED_RECEIVE_ONE_IN)) {
            step(request, "missed a receive", () -> arrive(request));
            return false;
        }
        request.receive = queuePair.peer().receives().take();
        if (request.receive == null) {
            starve(request);
        }
        return request.receive != null;
    }

    private void starve(SimRequest request) {
        long nowNs = simulation.deviceNs();
        if (receiverNotReadyTimeoutNs < Long.MAX_VALUE - nowNs) {
            request.patience = simulation.at(nowNs + receiverNotReadyTimeoutNs, name(request, "waits no longer"),
                    () -> {
                        if (isUnderWay(request)) {
                            fail(request, CompletionStatus.RECEIVER_NOT_READY, queuePair.peerName()
                                    + " had no receive posted for " + receiverNotReadyTimeoutNs + " ns");
                        }
                    });
        }
        queuePair.peer().receives().whenPosted(() -> {
            endPatience(request);
            step(request, "tries again", () -> arrive(request));
        });
    }

    private static void endPatience(SimRequest request) {
        if (request.patience != null) {
            request.patience.cancel();
            request.patience = null;
        }
    }

    private void startSend(SimRequest request) {
        SimReceive receive = request.receive;
        long byteSize = request.request().totalByteSize();
        String refusal = receive.refusal();
        if (refusal != null) {
            queuePair.peer().failReceive(receive, CompletionStatus.LOCAL_PROTECTION_ERROR, "receive: " + refusal);
            refuse(request, CompletionStatus.REMOTE_INVALID_REQUEST,
                    "its receive lies outside its region or may not be written");
        } else if (byteSize > receive.byteSize) {
            queuePair.peer().failReceive(receive, CompletionStatus.LOCAL_LENGTH_ERROR,
                    "receive is too small: posted=" + receive.byteSize + " arrived=" + byteSize);
            refuse(request, CompletionStatus.REMOTE_INVALID_REQUEST,
                    "its receive is too small: sent=" + byteSize + " posted=" + receive.byteSize);
        } else {
            start(request, receive.region);
        }
    }

    // ---- the access itself ----

    /** @param region null only if there is not a byte */
    private void start(SimRequest request, SimRegion region) {
        Conduct conduct = simulation.conduct();
        if (!conduct.completesWhenLanded()) {
            answer(request, CompletionStatus.SUCCESS, null);
        }
        if (!conduct.arrivesWhenLanded()) {
            tellReceiver(request);
        }
        if (request.opcode().isAtomic()) {
            doAtomic(request, region);
            return;
        }
        boolean isSend = request.opcode() == Opcode.SEND;
        WorkRequest wanted = request.request();
        long offset = region == null ? 0 : isSend ? request.receive.offset : wanted.remoteAddress - region.address();
        long byteSize = Math.max(wanted.totalByteSize() - conduct.missing(), 0);
        Piece tail = tail(wanted, byteSize);
        List<Piece> pieces = new ArrayList<>(
                simulation.chance().pieces(tail == null ? byteSize : tail.begin(), offset));
        if (tail != null && (pieces.isEmpty() || !conduct.isTailLast())) {
            pieces.addFirst(tail);
            tail = null;
        }
        request.piecesLeft = pieces.size() + (tail == null ? 0 : 1);
        if (pieces.isEmpty()) {
            landed(request);
        }
        for (Piece piece : pieces) {
            Piece last = tail;
            step(request, "lands " + piece, () -> land(request, region, offset, piece, last));
        }
    }

    /** The last word of a write, if it is to become visible after all others; else null. */
    private Piece tail(WorkRequest wanted, long byteSize) {
        boolean isWrite = wanted.opcode == Opcode.WRITE || wanted.opcode == Opcode.WRITE_WITH_IMMEDIATE;
        boolean isWord = byteSize >= Long.BYTES && (wanted.remoteAddress + byteSize) % Long.BYTES == 0;
        if (!queuePair.writesInOrder()) {
            simulation.chance().count(Fault.RELAXED_ORDER);
        }
        return isWrite && isWord && queuePair.writesInOrder()
                ? new Piece(byteSize - Long.BYTES, byteSize)
                : null;
    }

    /** @param last that lands when all others have; null if there is none */
    private void land(SimRequest request, SimRegion region, long offset, Piece piece, Piece last) {
        if (!isStillThere(request, region)) {
            return;
        }
        request.move(piece, region.bytes(), offset);
        if (request.isStraggling()) {
            simulation.chance().count(Fault.STRAGGLING_PIECES);
        }
        boolean hasTarget = !queuePair.isTargetClosed();
        if (request.opcode() != Opcode.READ && hasTarget) {
            queuePair.peer().completionQueue().onEffect();
        }
        request.piecesLeft--;
        if (request.piecesLeft == 0 && !hasTarget) {
            running.remove(request);
        } else if (request.piecesLeft == 0) {
            landed(request);
        } else if (request.piecesLeft == 1 && last != null) {
            step(request, "lands its end", () -> land(request, region, offset, last, null));
        }
    }

    /** Whether the memory that was there at the begin still is, on both sides; if not, the request fails, once. */
    private boolean isStillThere(SimRequest request, SimRegion region) {
        String local = request.isStraggling() ? null : request.localRefusal();
        if (local != null) {
            fail(request, CompletionStatus.LOCAL_PROTECTION_ERROR, request.opcode() + ": " + local);
        } else if (!region.isOpen()) {
            refuse(request, CompletionStatus.REMOTE_ACCESS_ERROR, "was deregistered in mid-transfer");
        }
        return !request.isFailing;
    }

    private void doAtomic(SimRequest request, SimRegion region) {
        WorkRequest wanted = request.request();
        MemorySegment remote = region.bytes();
        long offset = wanted.remoteAddress - region.address();
        long old = remote.get(JAVA_LONG_UNALIGNED, offset);
        if (wanted.opcode == Opcode.FETCH_AND_ADD) {
            remote.set(JAVA_LONG_UNALIGNED, offset, old + wanted.compareOrAdd);
        } else if (old == wanted.compareOrAdd) {
            remote.set(JAVA_LONG_UNALIGNED, offset, wanted.swap);
        }
        ((SimRegion) wanted.region[0]).bytes().set(JAVA_LONG_UNALIGNED, wanted.offset[0], old);
        queuePair.peer().completionQueue().onEffect();
        landed(request);
    }

    // ---- ends ----

    private void landed(SimRequest request) {
        running.remove(request);
        if (simulation.conduct().arrivesWhenLanded()) {
            tellReceiver(request);
        }
        if (simulation.conduct().completesWhenLanded()) {
            answer(request, CompletionStatus.SUCCESS, null);
        }
        goOn();
    }

    private void tellReceiver(SimRequest request) {
        if (request.receive != null) {
            WorkRequest sent = request.request();
            request.receive.arrive(
                    sent.opcode == Opcode.SEND ? Opcode.RECEIVE : Opcode.RECEIVE_WRITE_WITH_IMMEDIATE,
                    sent.totalByteSize(), sent.immediate);
            queuePair.peer().onArrival(request.receive);
        }
    }

    private void refuse(SimRequest request, CompletionStatus status, String why) {
        WorkRequest wanted = request.request();
        boolean isRemote = RequestRules.remoteRight(wanted.opcode) != null;
        fail(request, status, wanted.opcode + " refused by " + queuePair.peerName() + ": " + (isRemote
                ? "rkey=" + wanted.rkey + " address=0x" + Long.toHexString(wanted.remoteAddress) + " byteSize="
                        + wanted.totalByteSize() + ": "
                : "") + why);
    }

    /** It stays among those that have not landed, so that none behind it begins. */
    private void fail(SimRequest request, CompletionStatus status, String cause) {
        request.isFailing = true;
        answer(request, status, cause);
    }

    private void answer(SimRequest request, CompletionStatus status, String cause) {
        answers.send(name(request, "is answered " + status), () -> queuePair.onAnswer(request, status, cause));
    }

    /** The queue pair has failed or is closed: nothing that is under way goes on but what is out of its hands. */
    void stop() {
        running.forEach(Initiator::endPatience);
        if (simulation.conduct().stopsWhenFailed()) {
            running.removeIf(request -> !simulation.chance().isSet(Fault.STRAGGLING_PIECES) || !request.straggle());
        }
    }
}
