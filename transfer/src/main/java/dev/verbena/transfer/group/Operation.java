package dev.verbena.transfer.group;

import java.util.function.BooleanSupplier;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.Reduction;
import dev.verbena.transfer.TransferException;

/**
 * What all members of a group do together; used for one after the other.
 *
 * <p><b>Owner:</b> {@link Collectives}, which lends it to who offers it. <b>Threading:</b> prepared by who offers it, run while driving,
 * then again of who offered it; {@link #getAsBoolean} is thread-safe.
 */
public final class Operation implements BooleanSupplier {
    /** What is done; the order is part of the messages. */
    enum Kind {
        /** The first of all, by which the members see that they mean the same group. */
        JOIN, BARRIER, ALL_GATHER, BROADCAST, ALL_REDUCE
    }

    private static final int TYPE_SHIFT = 8;
    private static final int REDUCTION_SHIFT = 16;
    private static final int ROOT_SHIFT = 32;
    private static final int BYTE = 0xFF;
    private static final byte[] NOTHING = {};

    private final Collectives collectives;
    Kind kind;
    /** Null if no tensor is concerned. */
    Tensor tensor;
    Reduction reduction;
    int root;
    /** Elements; of JOIN, what the group is known by. */
    long count;
    /** Of this member, of ALL_GATHER. */
    byte[] gathers = NOTHING;
    /** By rank; null but of ALL_GATHER. */
    byte[][] gathered;
    /** From 0; set when it is offered. */
    long sequence;
    private String failure;
    private volatile boolean isDone;

    Operation(Collectives collectives) {
        this.collectives = collectives;
    }

    Operation reset(Kind kind, Tensor tensor, long count) {
        this.kind = kind;
        this.tensor = tensor;
        this.count = count;
        reduction = Reduction.SUM;
        root = 0;
        gathers = NOTHING;
        gathered = null;
        failure = null;
        isDone = false;
        return this;
    }

    long byteSize() {
        return tensor == null ? 0 : tensor.byteSize();
    }

    /** Of what this member gathers, or has in its message. */
    long ownByteSize() {
        return kind == Kind.ALL_GATHER ? gathers.length : byteSize();
    }

    /** Kind, type, reduction and root in one word. */
    long signature() {
        return kind.ordinal() | (tensor == null ? 0L : (long) tensor.type().code() << TYPE_SHIFT)
                | (long) reduction.ordinal() << REDUCTION_SHIFT | (long) root << ROOT_SHIFT;
    }

    static String describe(long sequence, long signature, long count) {
        int kind = (int) signature & BYTE;
        if (kind >= Kind.values().length) {
            return "what is no operation";
        }
        String text = Kind.values()[kind] + " as operation " + sequence;
        return switch (Kind.values()[kind]) {
            case JOIN -> text + " of other members or options";
            case BARRIER, ALL_GATHER -> text;
            case BROADCAST -> text + ", " + typeAndCount(signature, count) + " from rank " + (signature >>> ROOT_SHIFT);
            case ALL_REDUCE -> text + ", " + typeAndCount(signature, count) + " " + (signature >>> REDUCTION_SHIFT == 0
                    ? Reduction.SUM : Reduction.MEAN);
        };
    }

    private static String typeAndCount(long signature, long count) {
        return ElementType.ofCode((int) (signature >>> TYPE_SHIFT) & BYTE) + "[" + count + "]";
    }

    /** While driving; null if it went well. */
    void finish(String cause) {
        failure = cause;
        isDone = true;
    }

    /** Whether it is done, well or not; looks for members that are lost. */
    @Override
    public boolean getAsBoolean() {
        if (!isDone) {
            collectives.lookAfter();
        }
        return isDone;
    }

    public boolean isDone() {
        return isDone;
    }

    public byte[][] gathered() {
        return gathered;
    }

    /** @throws TransferException if it has failed, or is not done */
    public void check() {
        if (!isDone || failure != null) {
            throw new TransferException(isDone ? failure : this + " does not end");
        }
    }

    @Override
    public String toString() {
        return describe(sequence, signature(), count);
    }
}
