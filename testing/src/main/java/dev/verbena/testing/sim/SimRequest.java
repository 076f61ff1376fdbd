package dev.verbena.testing.sim;

import java.lang.foreign.MemorySegment;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * A request in a send queue, and how far it has come.
 *
 * <p><b>Owner:</b> its queue pair. <b>Threading:</b> confined to the simulation.
 */
final class SimRequest {
    private final WorkRequest request;
    /** Its bytes, on their way without it; null if they are not. */
    private MemorySegment straggling;
    /** Of the peer, that it takes; null if none. */
    SimReceive receive;
    /** How it ended; null while it has not. */
    CompletionStatus status;
    String cause;
    /** The end of its waiting for the peer to post a receive; null if it does not wait. */
    EventQueue.Event patience;
    /** Pieces that have not landed; 0 while it has not begun to. */
    int piecesLeft;
    /** The answer is under way that it failed. */
    boolean isFailing;

    SimRequest(WorkRequest posted) {
        request = new WorkRequest(posted.elementCount).set(posted);
    }

    WorkRequest request() {
        return request;
    }

    Opcode opcode() {
        return request.opcode;
    }

    boolean isDone() {
        return status != null;
    }

    boolean isSignaled() {
        return request.signaled;
    }

    /** Done, and nobody is to be told. */
    boolean isSilent() {
        return status == CompletionStatus.SUCCESS && !request.signaled;
    }

    private boolean scatters() {
        return request.opcode == Opcode.READ || request.opcode.isAtomic();
    }

    /** Whether it is more than a message may have, whatever its elements are. */
    boolean isLongerThan(long byteSizeMax) {
        long left = byteSizeMax;
        for (int i = 0; i < request.elementCount; i++) {
            if (request.byteSize[i] > left) {
                return true;
            }
            left -= request.byteSize[i];
        }
        return false;
    }

    /** Why its own memory may not be used so; null if it may. */
    String localRefusal() {
        AccessRight right = scatters() ? AccessRight.LOCAL_WRITE : null;
        for (int i = 0; i < request.elementCount; i++) {
            String refusal = ((SimRegion) request.region[i]).refusal(request.offset[i], request.byteSize[i], right);
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
    }

    /** From now on it needs its memory no more. @return false if nothing of it is on its way to the peer */
    boolean straggle() {
        if (isStraggling()) {
            return true;
        }
        if (piecesLeft == 0 || scatters() || localRefusal() != null) {
            return false;
        }
        long byteSize = request.totalByteSize();
        MemorySegment copy = MemorySegment.ofArray(new byte[Math.toIntExact(byteSize)]);
        move(new Piece(0, byteSize), copy, 0);
        straggling = copy;
        return true;
    }

    boolean isStraggling() {
        return straggling != null;
    }

    /** Moves a piece between its elements and the other side's memory, of which {@code remoteOffset} is the message's first byte. */
    void move(Piece piece, MemorySegment remote, long remoteOffset) {
        if (straggling != null) {
            MemorySegment.copy(straggling, piece.begin(), remote, remoteOffset + piece.begin(),
                    piece.end() - piece.begin());
            return;
        }
        long position = 0;
        for (int i = 0; i < request.elementCount; i++) {
            long begin = Math.max(piece.begin(), position);
            long end = Math.min(piece.end(), position + request.byteSize[i]);
            if (begin < end) {
                MemorySegment own = ((SimRegion) request.region[i]).bytes();
                long ownOffset = request.offset[i] + begin - position;
                if (scatters()) {
                    MemorySegment.copy(remote, remoteOffset + begin, own, ownOffset, end - begin);
                } else {
                    MemorySegment.copy(own, ownOffset, remote, remoteOffset + begin, end - begin);
                }
            }
            position += request.byteSize[i];
        }
    }

    void end(CompletionStatus status, String cause) {
        this.status = status;
        this.cause = cause;
    }

    @Override
    public String toString() {
        return request.opcode + " " + request.workRequestId;
    }
}
