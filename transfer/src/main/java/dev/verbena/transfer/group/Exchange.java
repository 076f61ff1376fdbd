package dev.verbena.transfer.group;

import java.lang.foreign.MemorySegment;

import dev.verbena.memory.Tensor;

/**
 * Each member sends one message to each other, and takes one from each, in the order of ranks: so all sum in the same order, and have the
 * same bits. What is to be gathered, and does not fit one message, takes several rounds.
 *
 * <p><b>Owner:</b> {@link Collectives}. <b>Threading:</b> while driving.
 */
final class Exchange implements Algorithm {
    private final Collectives group;
    /** The message that is sent: a payload, and the header at its end. */
    private final Tensor outgoing;
    private final Tensor sum;
    private Operation operation;
    private Arithmetic arithmetic;
    private long payloadByteSize;
    private int round;
    private int rounds;
    /** Others that have been sent the message of this round, from the next rank on. */
    private int sent;
    /** The rank whose message is next. */
    private int next;

    Exchange(Collectives group, Tensor outgoing, Tensor sum) {
        this.group = group;
        this.outgoing = outgoing;
        this.sum = sum;
    }

    @Override
    public void begin(Operation operation) {
        this.operation = operation;
        arithmetic = operation.tensor == null ? null : group.arithmetic(operation.tensor.type());
        round = 0;
        rounds = 1;
        beginRound();
    }

    private void beginRound() {
        sent = 0;
        next = 0;
        MemorySegment message = outgoing.memory();
        long end = outgoing.byteSize();
        if (operation.kind == Operation.Kind.ALL_GATHER) {
            payloadByteSize = pieceByteSize(operation.gathers.length);
            MemorySegment.copy(MemorySegment.ofArray(operation.gathers),
                    Math.min(pieceOffset(), operation.gathers.length), message, payloadBegin(end), payloadByteSize);
        } else {
            payloadByteSize = operation.byteSize();
            if (payloadByteSize > 0) {
                MemorySegment.copy(operation.tensor.memory(), 0, message, payloadBegin(end), payloadByteSize);
                group.onCopy(payloadByteSize);
            }
        }
        Message.write(message, end, operation);
    }

    @Override
    public boolean advance() {
        while (goOn()) {
            if (++round == rounds) {
                finish();
                return true;
            }
            beginRound();
        }
        return false;
    }

    /** @return whether this round is over */
    private boolean goOn() {
        while (sent < group.size() - 1 && receiver(sent).isReady()) {
            Member member = receiver(sent++);
            group.send(member, outgoing, outgoing.byteSize() - Message.HEADER_BYTE_SIZE - payloadByteSize,
                    payloadByteSize + Message.HEADER_BYTE_SIZE);
        }
        checkArrived();
        while (next < group.size()) {
            int from = next;
            if (from == group.rank()) {
                take(from, outgoing.memory(), outgoing.byteSize());
            } else if (group.member(from).hasArrived()) {
                Member member = group.member(from);
                group.checkSame(member, operation);
                take(from, member.memory(), member.end());
                member.release();
            } else {
                return false;
            }
            next++;
        }
        return sent == group.size() - 1 && group.areSent();
    }

    /** Of all, whoever is next: one that does something else may be what those before it wait for. */
    private void checkArrived() {
        for (int from = next; from < group.size(); from++) {
            if (from != group.rank() && group.member(from).hasArrived()) {
                group.checkSame(group.member(from), operation);
            }
        }
    }

    private Member receiver(int index) {
        return group.member((group.rank() + 1 + index) % group.size());
    }

    private void take(int from, MemorySegment message, long end) {
        if (operation.kind == Operation.Kind.ALL_GATHER) {
            gather(from, message, end);
        } else if (payloadByteSize > 0) {
            if (next == 0) {
                MemorySegment.copy(message, payloadBegin(end), sum.memory(), 0, payloadByteSize);
            } else {
                arithmetic.add(sum.memory(), 0, message, payloadBegin(end), (int) payloadByteSize);
            }
        }
    }

    private void gather(int from, MemorySegment message, long end) {
        long byteSize = Message.byteSize(message, end);
        if (round == 0) {
            operation.gathered[from] = new byte[Math.toIntExact(byteSize)];
            rounds = Math.max(rounds, (int) Math.ceilDiv(byteSize, Message.PAYLOAD_BYTE_SIZE_MAX));
        }
        long piece = pieceByteSize(byteSize);
        MemorySegment.copy(message, end - Message.HEADER_BYTE_SIZE - piece,
                MemorySegment.ofArray(operation.gathered[from]), Math.min(pieceOffset(), byteSize),
                piece);
    }

    private void finish() {
        if (payloadByteSize > 0 && operation.kind == Operation.Kind.ALL_REDUCE) {
            arithmetic.finish(operation.reduction, sum.memory(), 0, (int) payloadByteSize, group.size());
            MemorySegment.copy(sum.memory(), 0, operation.tensor.memory(), 0, payloadByteSize);
        }
        operation = null;
    }

    private long pieceOffset() {
        return round * Message.PAYLOAD_BYTE_SIZE_MAX;
    }

    private long pieceByteSize(long byteSize) {
        return Math.clamp(byteSize - pieceOffset(), 0, Message.PAYLOAD_BYTE_SIZE_MAX);
    }

    private long payloadBegin(long end) {
        return Message.payloadBegin(end, payloadByteSize);
    }

    @Override
    public boolean awaits(Member member) {
        int index = (member.rank() - group.rank() - 1 + group.size()) % group.size();
        return member.rank() >= next || index >= sent;
    }
}
