package dev.verbena.transfer.group;

import java.lang.foreign.MemorySegment;

/**
 * Broadcast from the root to the right, from member to member, in chunks that each hands on as they come; the one to the left of the root is
 * the last.
 *
 * <p><b>Owner:</b> {@link Collectives}. <b>Threading:</b> while driving.
 */
final class Chain implements Algorithm {
    private final Collectives group;
    private Operation operation;
    private boolean isRoot;
    private boolean isLast;
    private boolean hasSaid;
    private boolean hasHeard;
    private long taken;
    private long sent;

    Chain(Collectives group) {
        this.group = group;
    }

    @Override
    public void begin(Operation operation) {
        this.operation = operation;
        isRoot = group.rank() == operation.root;
        isLast = (group.rank() + 1) % group.size() == operation.root;
        hasSaid = isLast;
        hasHeard = isRoot;
        taken = isRoot ? operation.byteSize() : 0;
        sent = isLast ? operation.byteSize() : 0;
    }

    @Override
    public boolean advance() {
        boolean isMoving = true;
        while (isMoving) {
            isMoving = take();
            isMoving |= send();
        }
        return hasTaken() && hasSent() && group.areSent();
    }

    private boolean hasTaken() {
        return hasHeard && taken == operation.byteSize();
    }

    private boolean hasSent() {
        return hasSaid && sent == operation.byteSize();
    }

    private boolean take() {
        Member left = group.left();
        if (hasTaken() || !left.hasArrived()) {
            return false;
        }
        if (!hasHeard) {
            group.checkSame(left, operation);
            hasHeard = true;
        } else {
            long byteSize = chunkByteSize(taken);
            MemorySegment.copy(left.memory(), left.end() - byteSize, operation.tensor.memory(), taken, byteSize);
            taken += byteSize;
        }
        left.release();
        return true;
    }

    private boolean send() {
        if (hasSent() || !hasHeard || !group.right().isReady()) {
            return false;
        }
        if (!hasSaid) {
            group.sendHeader(group.right(), operation);
            hasSaid = true;
            return true;
        }
        if (sent == taken) {
            return false;
        }
        long byteSize = chunkByteSize(sent);
        group.send(group.right(), operation.tensor, sent, byteSize);
        sent += byteSize;
        return true;
    }

    private long chunkByteSize(long offset) {
        return Math.min(group.chunkByteSize(), operation.byteSize() - offset);
    }

    @Override
    public boolean awaits(Member member) {
        return member == group.left() && !hasTaken() || member == group.right() && !hasSent();
    }
}
