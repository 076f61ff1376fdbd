package dev.verbena.transfer.group;

import java.lang.foreign.MemorySegment;

import dev.verbena.transfer.TransferException;

/**
 * All-reduce around a ring (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009), band after
 * band of the tensor: a band has as many segments as the group has members. In step {@code s} of {@code 2(n-1)} each member sends segment {@code rank - s} to the right, and
 * takes segment {@code rank - s - 1} from the left: it adds it to its own in the first half, so that afterwards each segment is complete at
 * one member, and replaces its own in the second. So each segment is summed once, and all have its bits.
 *
 * <p>A complete segment is written to where the next member has its own: that member's part of it has been added long ago, or it could not be
 * complete. So each says first, to both sides, where its tensor is. A member whose tensor may not be written to gets all through slots.
 *
 * <p>What is added goes through slots too, unless the fabric maps a peer's memory: then it is added from where the member to the left has it, which
 * hears nothing of that: it gets the segment complete, and that it cannot be before. So each line of memory goes from one processor's cache to
 * another's once, and not three times (ADR 22).
 *
 * <p>Segments go in chunks; what has been taken in one step is sent in the next, chunk by chunk. Always: what is sent in step {@code s} of a band
 * has been taken in its step {@code s - 1}. A segment is two chunks, so that one is sent while the other comes, and a processor's cache still has
 * what it took when it sends it: in segments of a large tensor's whole share it would come from memory each time.
 *
 * <p><b>Owner:</b> {@link Collectives}. <b>Threading:</b> while driving.
 */
final class Ring implements Algorithm {
    private static final int CHUNKS_PER_SEGMENT = 2;

    private final Collectives group;
    private final Cursor sending = new Cursor();
    private final Cursor taking = new Cursor();
    private Operation operation;
    private Arithmetic arithmetic;
    private long elementByteSize;
    private long bandElementsMax;
    /** Where this member has its tensor, and those to the right and to the left. */
    private final Place own = new Place();
    private final Place rights = new Place();
    private final Place lefts = new Place();
    /** Its tensor; not before something of it is added: a member that has nothing to give may be through, and its memory gone. */
    private boolean hasMappedLeft;
    private boolean hasSaid;
    private boolean hasHeard;
    /** To the left, and from the right; with two members it is the same. */
    private boolean hasSaidLeft;
    private boolean hasHeardRight;

    Ring(Collectives group) {
        this.group = group;
    }

    @Override
    public void begin(Operation operation) {
        this.operation = operation;
        arithmetic = group.arithmetic(operation.tensor.type());
        elementByteSize = operation.tensor.type().byteSize(1);
        bandElementsMax = group.size() * CHUNKS_PER_SEGMENT * (group.chunkByteSize() / elementByteSize);
        hasSaid = group.size() == 1;
        hasHeard = hasSaid;
        hasSaidLeft = group.left() == group.right();
        hasHeardRight = hasSaid;
        own.set(operation.tensor, group.mapsMembers());
        group.hold(operation.tensor);
        sending.begin(group.rank());
        taking.begin(group.rank() - 1);
    }

    @Override
    public boolean advance() {
        boolean isMoving = true;
        while (isMoving) {
            isMoving = send();
            isMoving |= take();
            isMoving |= sayLeft();
            isMoving |= hearRight();
        }
        boolean isOver = taking.isOver() && sending.isOver() && hasSaidLeft && hasHeardRight && group.areSent();
        if (isOver) {
            group.letGo();
        }
        return isOver;
    }

    private boolean sayLeft() {
        if (hasSaidLeft || !group.left().isReady()) {
            return false;
        }
        group.sendHeader(group.left(), operation, own);
        hasSaidLeft = true;
        return true;
    }

    private boolean hearRight() {
        Member right = group.right();
        if (hasHeardRight || right == group.left() || !right.hasArrived()) {
            return false;
        }
        hear(right);
        right.release();
        return true;
    }

    private void hear(Member member) {
        group.checkSame(member, operation);
        if (member == group.right()) {
            rights.read(member.memory(), Message.payloadBegin(member.end(), Place.BYTE_SIZE));
            hasHeardRight = true;
        }
        if (member == group.left()) {
            lefts.read(member.memory(), Message.payloadBegin(member.end(), Place.BYTE_SIZE));
            hasMappedLeft = false;
        }
    }

    private boolean send() {
        if (sending.isOver() && hasSaid || !group.right().isReady()) {
            return false;
        }
        if (!hasSaid) {
            group.sendHeader(group.right(), operation, own);
            hasSaid = true;
            return true;
        }
        boolean isWaiting = sending.step > 0 && !taking.hasDoneBefore(sending)
                || sending.isComplete() && !hasHeardRight;
        if (isWaiting) {
            return false;
        }
        sendChunk();
        sending.advance();
        return true;
    }

    private void sendChunk() {
        Member right = group.right();
        if (sending.isComplete() && rights.isOpen()) {
            group.sendTo(right, rights, operation.tensor, sending.byteOffset(), sending.byteSize());
        } else if (!sending.isComplete() && own.isInPlace()) {
            group.sendPlace(right, operation.tensor, sending.byteSize());
        } else {
            group.send(right, operation.tensor, sending.byteOffset(), sending.byteSize());
        }
    }

    private boolean take() {
        Member left = group.left();
        if (taking.isOver() && hasHeard || !left.hasArrived()) {
            return false;
        }
        if (!hasHeard) {
            hear(left);
            hasHeard = true;
        } else {
            takeFrom(left);
            taking.advance();
        }
        left.release();
        return true;
    }

    private void takeFrom(Member left) {
        MemorySegment tensor = operation.tensor.memory();
        long byteOffset = taking.byteOffset();
        long byteSize = taking.byteSize();
        if (taking.isComplete()) {
            if (!own.isOpen()) {
                MemorySegment.copy(left.memory(), left.end() - byteSize, tensor, byteOffset, byteSize);
            }
            return;
        }
        if (lefts.isInPlace()) {
            addInPlace(left, tensor, byteOffset, (int) byteSize);
        } else {
            arithmetic.add(tensor, byteOffset, left.memory(), left.end() - byteSize, (int) byteSize);
        }
        if (taking.step == group.size() - 2) {
            arithmetic.finish(operation.reduction, tensor, byteOffset, (int) byteSize, group.size());
        }
    }

    private void addInPlace(Member left, MemorySegment tensor, long byteOffset, int byteSize) {
        if (!hasMappedLeft) {
            left.map(lefts, operation.byteSize());
            hasMappedLeft = true;
        }
        try {
            arithmetic.add(tensor, byteOffset, left.mapped(), left.mappedOffset() + byteOffset, byteSize);
        } catch (IllegalStateException e) {
            throw new TransferException(left + " is lost: its memory is not mapped any more", e);
        }
    }

    @Override
    public boolean awaits(Member member) {
        return member == group.left() && !(taking.isOver() && hasHeard && hasSaidLeft)
                || member == group.right() && !(sending.isOver() && hasSaid && hasHeardRight);
    }

    /** The next chunk: of which band, in which step, where in the segment; in elements. */
    private final class Cursor {
        private int firstSegment;
        private long bandBegin;
        private int step;
        private long offset;

        void begin(int firstSegment) {
            this.firstSegment = firstSegment + 2 * group.size();
            bandBegin = group.size() == 1 ? operation.count : 0;
            step = 0;
            offset = 0;
            skipEmpty();
        }

        boolean isOver() {
            return bandBegin >= operation.count;
        }

        /** Whether the segment is the sum of all. */
        boolean isComplete() {
            return step >= group.size() - 1;
        }

        private long segmentBegin() {
            return Math.min((firstSegment - step) % group.size() * segmentElements(), bandElements());
        }

        private long segmentElements() {
            return Math.ceilDiv(bandElements(), group.size());
        }

        private long bandElements() {
            return Math.min(bandElementsMax, operation.count - bandBegin);
        }

        private long elements() {
            return Math.min(segmentElements(), bandElements() - segmentBegin());
        }

        private void skipEmpty() {
            while (!isOver() && offset == elements()) {
                offset = 0;
                step++;
                if (step == 2 * (group.size() - 1)) {
                    step = 0;
                    bandBegin += bandElementsMax;
                }
            }
        }

        long byteOffset() {
            return (bandBegin + segmentBegin() + offset) * elementByteSize;
        }

        /** Behind the chunk, in elements of the segment. */
        long end() {
            return Math.min(elements(), offset + group.chunkByteSize() / elementByteSize);
        }

        long byteSize() {
            return (end() - offset) * elementByteSize;
        }

        void advance() {
            offset = end();
            skipEmpty();
        }

        /** Whether what the other one is to do next in its band was done in the step before. */
        boolean hasDoneBefore(Cursor other) {
            if (bandBegin != other.bandBegin) {
                return bandBegin > other.bandBegin;
            }
            return step > other.step - 1 || step == other.step - 1 && offset >= other.end();
        }
    }
}
