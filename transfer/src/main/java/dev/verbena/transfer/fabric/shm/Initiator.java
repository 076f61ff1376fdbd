package dev.verbena.transfer.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

import dev.verbena.transfer.fabric.Rights;
import dev.verbena.transfer.fabric.shm.RemoteRegions.RemoteRegion;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Opcode;

/**
 * Carries out the requests of one queue pair: what an RDMA device would do is done here, by the initiator's own CPU in the
 * memory that both sides map. The target's CPU takes no part.
 *
 * <p>Threading: confined to the queue pair's poller.
 */
final class Initiator {
    /** How far a step came. */
    enum Step {
        /** The request is done. */
        DONE,
        /** A piece was copied; there is more. */
        MORE,
        /** The peer has no receive posted yet. */
        WAIT,
        /** The request failed; its slot has status and cause. */
        FAILED,
        /** The peer's queue pair does not take part any more; its half says why. */
        PEER_NOT_READY
    }

    /** A larger copy is done in pieces, so that the other queue pairs of a poller get their turn. */
    static final long PIECE_BYTE_SIZE = 4 << 20;

    /** From here on a copy may use streaming stores, which need a fence before a release store (MemorySegment.copy, x86). */
    static final long STREAMING_BYTE_SIZE_MIN = 4096;

    private final RemoteRegions remoteRegions;
    private final QueuePairHalf peerHalf;
    private final ReceiveRing peerRing;
    private final String peer;
    private final long receiverNotReadyTimeoutNs;

    /** Receives of the peer that this side has claimed. */
    private long claimed;
    /** Whether something happened at the peer since {@link #takeEffect}. */
    private boolean hasEffect;

    Initiator(RemoteRegions remoteRegions, QueuePairHalf peerHalf, String peer,
            long receiverNotReadyTimeoutNs) {
        this.remoteRegions = remoteRegions;
        this.peerHalf = peerHalf;
        this.peer = peer;
        this.receiverNotReadyTimeoutNs = receiverNotReadyTimeoutNs;
        peerRing = peerHalf.ring();
    }

    /** Whether the peer's doorbell must be rung; asked once after a batch of steps. */
    boolean takeEffect() {
        boolean had = hasEffect;
        hasEffect = false;
        return had;
    }

    Step step(SendSlot slot) {
        try {
            if (!slot.isStarted) {
                Step started = start(slot);
                if (started != Step.MORE) {
                    return started;
                }
                slot.isStarted = true;
            } else if (slot.byteSize != 0 && !remoteRegions.isLive(slot.target)) {
                return remoteFailure(slot, CompletionStatus.REMOTE_ACCESS_ERROR, "was deregistered in mid-transfer");
            }
            return slot.isAtomic() ? atomic(slot) : copyPiece(slot);
        } catch (PeerFileException e) {
            return e.errno() == Libc.ENOENT
                    ? fail(slot, CompletionStatus.RETRY_EXCEEDED, peer + " is gone: " + e.getMessage())
                    : remoteFailure(slot, CompletionStatus.REMOTE_ACCESS_ERROR, "cannot be mapped: " + e.getMessage());
        } catch (IllegalStateException e) {
            return closedUnderway(slot, e);
        } catch (InternalError e) {
            // So the JDK says that the kernel has no page there (SIGBUS).
            return fail(slot, CompletionStatus.REMOTE_ACCESS_ERROR, slot.opcode + " to " + peer
                    + ": a file behind its memory, there or here, was truncated: " + e.getMessage());
        }
    }

    /** FFM found a region closed that was open when the request was checked. */
    private Step closedUnderway(SendSlot slot, IllegalStateException e) {
        for (int i = 0; i < slot.elementCount; i++) {
            if (!slot.region[i].memory().scope().isAlive()) {
                return fail(slot, CompletionStatus.LOCAL_PROTECTION_ERROR,
                        "region rkey=" + slot.region[i].rkey() + " was closed while a request used it");
            }
        }
        if (slot.target != null && !slot.target.memory.scope().isAlive()) {
            return remoteFailure(slot, CompletionStatus.REMOTE_ACCESS_ERROR, "was deregistered in mid-transfer");
        }
        throw e;
    }

    // ---- before the first byte ----

    /** @return MORE if the request may begin */
    private Step start(SendSlot slot) throws PeerFileException {
        int right = slot.scatters() ? Rights.LOCAL_WRITE : 0;
        long total = 0;
        for (int i = 0; i < slot.elementCount; i++) {
            long byteSize = slot.elementByteSize[i];
            if (byteSize > ShmFabric.MESSAGE_BYTE_SIZE_MAX - total) {
                return fail(slot, CompletionStatus.LOCAL_LENGTH_ERROR, slot.opcode + " of more than byteSize="
                        + ShmFabric.MESSAGE_BYTE_SIZE_MAX + " must be split");
            }
            total += byteSize;
            String refusal = slot.region[i].refusal(slot.offset[i], byteSize, right);
            if (refusal != null) {
                return fail(slot, CompletionStatus.LOCAL_PROTECTION_ERROR, slot.opcode + ": " + refusal);
            }
        }
        slot.byteSize = total;
        if (peerHalf.stateAcquire() != QueuePairHalf.READY) {
            return Step.PEER_NOT_READY;
        }
        return switch (slot.opcode) {
            case WRITE -> startRemote(slot, Rights.REMOTE_WRITE);
            case READ -> startRemote(slot, Rights.REMOTE_READ);
            case COMPARE_AND_SWAP, FETCH_AND_ADD -> startRemote(slot, Rights.REMOTE_ATOMIC);
            case WRITE_WITH_IMMEDIATE -> {
                Step remote = startRemote(slot, Rights.REMOTE_WRITE);
                yield remote == Step.MORE ? claim(slot) : remote;
            }
            case SEND -> {
                Step claim = claim(slot);
                yield claim == Step.MORE ? startSend(slot) : claim;
            }
            default -> throw new IllegalStateException("opcode=" + slot.opcode);
        };
    }

    private Step startRemote(SendSlot slot, int right) throws PeerFileException {
        if (slot.byteSize == 0) {
            // As InfiniBand has it (C9-88): without a byte there is no access to check.
            return Step.MORE;
        }
        if (slot.isAtomic() && (slot.remoteAddress & 7) != 0) {
            return remoteFailure(slot, CompletionStatus.REMOTE_INVALID_REQUEST, "an atomic must be 8-byte aligned");
        }
        RemoteRegion region = remoteRegions.find(slot.rkey);
        if (region == null) {
            return remoteFailure(slot, CompletionStatus.REMOTE_ACCESS_ERROR, "no live region has this rkey");
        }
        slot.target = region;
        slot.targetOffset = region.offsetOf(slot.remoteAddress, slot.byteSize);
        if (slot.targetOffset < 0) {
            return remoteFailure(slot, CompletionStatus.REMOTE_ACCESS_ERROR, "outside the region address=0x"
                    + Long.toHexString(region.address) + " byteSize=" + region.byteSize);
        }
        if (slot.isAtomic() && (slot.targetOffset & 7) != 0) {
            return remoteFailure(slot, CompletionStatus.REMOTE_INVALID_REQUEST, "the region is not 8-byte aligned");
        }
        if ((region.rightBits & right) == 0) {
            return remoteFailure(slot, CompletionStatus.REMOTE_ACCESS_ERROR, "the region lacks " + Rights.name(right));
        }
        return Step.MORE;
    }

    /** Takes the next receive of the peer. @return MORE if it has one */
    private Step claim(SendSlot slot) {
        if (peerRing.postedAcquire() == claimed && !receiveAppears(slot)) {
            return System.nanoTime() - slot.starvedSinceNs < receiverNotReadyTimeoutNs ? Step.WAIT
                    : fail(slot, CompletionStatus.RECEIVER_NOT_READY, peer + " had no receive posted for "
                            + receiverNotReadyTimeoutNs + " ns");
        }
        if (slot.isStarved) {
            peerHalf.setStarvedVolatile(false);
            slot.isStarved = false;
        }
        if (!peerRing.claim(claimed)) {
            return Step.PEER_NOT_READY;
        }
        slot.claim = claimed++;
        return Step.MORE;
    }

    /** Announces the wait, so that the peer rings when it posts, and looks once more. */
    private boolean receiveAppears(SendSlot slot) {
        if (!slot.isStarved) {
            slot.isStarved = true;
            slot.starvedSinceNs = System.nanoTime();
            peerHalf.setStarvedVolatile(true);
            VarHandle.fullFence();
        }
        return peerRing.postedAcquire() != claimed;
    }

    /** How long the peer may still take to post a receive. */
    long starvedRemainingNs(SendSlot slot) {
        return receiverNotReadyTimeoutNs - (System.nanoTime() - slot.starvedSinceNs);
    }

    private Step startSend(SendSlot slot) throws PeerFileException {
        if (!peerRing.isUsable(slot.claim)) {
            return refuse(slot, Arrival.UNUSABLE, "its receive lies outside its region or may not be written");
        }
        long room = peerRing.byteSize(slot.claim);
        if (slot.byteSize > room) {
            return refuse(slot, Arrival.TOO_SMALL,
                    "its receive is too small: sent=" + slot.byteSize + " posted=" + room);
        }
        if (slot.byteSize > 0) {
            slot.target = remoteRegions.find(peerRing.rkey(slot.claim));
            slot.targetOffset = slot.target == null ? -1
                    : slot.target.offsetOf(peerRing.address(slot.claim), slot.byteSize);
            if (slot.targetOffset < 0) {
                return refuse(slot, Arrival.UNUSABLE, "the region of its receive was deregistered");
            }
        }
        return Step.MORE;
    }

    private Step refuse(SendSlot slot, Arrival arrival, String reason) {
        arrive(slot, arrival);
        return fail(slot, CompletionStatus.REMOTE_INVALID_REQUEST, slot.opcode + " refused by " + peer + ": " + reason);
    }

    // ---- the access itself ----

    private Step atomic(SendSlot slot) {
        MemorySegment memory = slot.target.memory;
        long old = slot.opcode == Opcode.FETCH_AND_ADD
                ? (long) Words.LONG.getAndAdd(memory, slot.targetOffset, slot.compareOrAdd)
                : (long) Words.LONG.compareAndExchange(memory, slot.targetOffset, slot.compareOrAdd, slot.swap);
        slot.region[0].memory().set(JAVA_LONG_UNALIGNED, slot.offset[0], old);
        slot.done = Long.BYTES;
        hasEffect = true;
        return Step.DONE;
    }

    private Step copyPiece(SendSlot slot) {
        boolean isWrite = slot.opcode == Opcode.WRITE || slot.opcode == Opcode.WRITE_WITH_IMMEDIATE;
        boolean hasTail = isWrite && slot.byteSize >= Long.BYTES && (slot.targetOffset + slot.byteSize & 7) == 0;
        long bulk = hasTail ? slot.byteSize - Long.BYTES : slot.byteSize;
        long end = Math.min(bulk, slot.done + PIECE_BYTE_SIZE);
        if (slot.opcode == Opcode.READ) {
            // What an earlier completion or tail word promised must be seen.
            VarHandle.acquireFence();
        }
        copyUntil(slot, end);
        if (end < bulk) {
            return Step.MORE;
        }
        if (hasTail) {
            writeTail(slot, bulk);
        }
        if (slot.opcode != Opcode.READ) {
            hasEffect = true;
        }
        if (slot.claim != SendSlot.NO_CLAIM) {
            arrive(slot, slot.opcode == Opcode.SEND ? Arrival.SEND : Arrival.WRITE_WITH_IMMEDIATE);
        }
        return Step.DONE;
    }

    private void copyUntil(SendSlot slot, long end) {
        while (slot.done < end) {
            int i = slot.element;
            long byteSize = Math.min(slot.elementByteSize[i] - slot.elementDone, end - slot.done);
            MemorySegment local = slot.region[i].memory();
            long localOffset = slot.offset[i] + slot.elementDone;
            long remoteOffset = slot.targetOffset + slot.done;
            if (slot.opcode == Opcode.READ) {
                MemorySegment.copy(slot.target.memory, remoteOffset, local, localOffset, byteSize);
            } else {
                MemorySegment.copy(local, localOffset, slot.target.memory, remoteOffset, byteSize);
            }
            slot.done += byteSize;
            slot.elementDone += byteSize;
            if (slot.elementDone == slot.elementByteSize[i]) {
                slot.element++;
                slot.elementDone = 0;
            }
        }
    }

    /** The last 8 bytes become visible at once and after all others: the promise of {@code writesInOrder}. */
    private void writeTail(SendSlot slot, long bulk) {
        int last = slot.elementCount - 1;
        long tail = slot.elementByteSize[last] >= Long.BYTES
                ? slot.region[last].memory().get(JAVA_LONG_UNALIGNED,
                        slot.offset[last] + slot.elementByteSize[last] - Long.BYTES)
                : gatherTail(slot);
        if (bulk >= STREAMING_BYTE_SIZE_MIN) {
            VarHandle.fullFence();
        }
        Words.LONG.setRelease(slot.target.memory, slot.targetOffset + bulk, tail);
        slot.done = slot.byteSize;
    }

    /** The last 8 bytes of the message when they are spread over several elements; byte 7 is the message's last (little-endian). */
    private static long gatherTail(SendSlot slot) {
        long tail = 0;
        int element = slot.elementCount;
        long remaining = 0;
        for (int i = Long.BYTES - 1; i >= 0; i--) {
            while (remaining == 0) {
                element--;
                remaining = slot.elementByteSize[element];
            }
            remaining--;
            tail |= (slot.region[element].memory().get(JAVA_BYTE, slot.offset[element] + remaining) & 0xffL) << 8 * i;
        }
        return tail;
    }

    // ---- ends ----

    private void arrive(SendSlot slot, Arrival kind) {
        peerRing.arriveRelease(slot.claim, kind, slot.byteSize, slot.immediate);
        slot.claim = SendSlot.NO_CLAIM;
        hasEffect = true;
    }

    /** The queue pair fails for another reason while this request is under way: the peer must not wait for the rest. */
    void abandon(SendSlot slot) {
        if (slot.claim != SendSlot.NO_CLAIM) {
            arrive(slot, Arrival.ABANDONED);
        }
    }

    private Step remoteFailure(SendSlot slot, CompletionStatus status, String reason) {
        if (peerHalf.stateAcquire() != QueuePairHalf.READY) {
            // A peer that closes takes its regions with it; the close is the cause then.
            return Step.PEER_NOT_READY;
        }
        return fail(slot, status, slot.opcode + " refused by " + peer + ": rkey=" + slot.rkey + " address=0x"
                + Long.toHexString(slot.remoteAddress) + " byteSize=" + slot.byteSize + ": " + reason);
    }

    private static Step fail(SendSlot slot, CompletionStatus status, String cause) {
        slot.status = status;
        slot.cause = cause;
        return Step.FAILED;
    }
}
