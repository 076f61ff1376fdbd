package dev.verbena.transfer.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * What a sender tells of a tensor whose shape is known only when it is there (EuroSys'19 §3.3): of fixed size, since a rank has a bound, so
 * that it can be placed statically. The receiver allocates by it and reads the tensor itself. Words of eight bytes in native order:
 *
 * <pre>
 *    0   1 .. 16                          17                 18          19     20        21         22
 *   +---+--------------------------------+--------------------+-----------+------+---------+----------+----------+ - - - +
 *   |   | dimensions, the first one last | loan · rank · type | byte size | rkey | address | sequence | checksum | tail
 *   +---+--------------------------------+--------------------+-----------+------+---------+----------+----------+ - - - +
 *     cache line 0: 0 .. 7      line 1: 8 .. 15      line 2: 16 .. 22, and the word by which the slot's arrival is seen
 * </pre>
 *
 * What a rank of 0 or 1 needs lies in the line that arrival is seen in, and lines of dimensions that a tensor does not have stay with the
 * sender: they are not read. The sequence counts from 0. Word 17 has the type in bits 0 to 7, the rank in 8 to 15, and the number of a loan from
 * bit 16 on, 0 of a tensor that is to be read: {@link Loans}. Of an empty tensor, address and rkey mean nothing. A dead tensor has the type
 * {@link #DEAD}, and all else that tensors have is 0. The checksum is over all words from
 * the sequence up to the last dimension: a record that is stale or torn does not have its own.
 *
 * <p><b>Owner:</b> who receives. <b>Threading:</b> confined to its owner; filled again by each {@link #read}, and nothing is allocated as
 * long as the shape stays the same.
 */
final class DynamicRecord {
    /** The first one; each further one lies before. */
    private static final int DIMENSION = Shape.RANK_MAX;
    private static final int TYPE = DIMENSION + 1;
    private static final int TENSOR_BYTE_SIZE = TYPE + 1;
    private static final int RKEY = TENSOR_BYTE_SIZE + 1;
    private static final int ADDRESS = RKEY + 1;
    private static final int SEQUENCE = ADDRESS + 1;
    private static final int CHECKSUM = SEQUENCE + 1;
    private static final int RANK_SHIFT = 8;
    private static final int LOAN_SHIFT = 16;
    private static final int BYTE_MASK = 0xff;
    /** No element type has that code. */
    private static final int DEAD = BYTE_MASK;
    /** Odd, with bits all over: the golden ratio's, as in Knuth's multiplicative hashing (TAOCP 6.4). */
    private static final long MULTIPLIER = 0x9e3779b97f4a7c15L;

    static final long BYTE_SIZE = (CHECKSUM + 1L) * Long.BYTES;

    private ElementType type;
    private Shape shape;
    private long address;
    private long rkey;
    private long loan;
    private boolean isDead;

    /** Whether there is no tensor of that sequence, and all else but the sequence means nothing. */
    boolean isDead() {
        return isDead;
    }

    ElementType type() {
        return type;
    }

    Shape shape() {
        return shape;
    }

    long byteSize() {
        return shape.byteSize(type);
    }

    long address() {
        return address;
    }

    long rkey() {
        return rkey;
    }

    /** 0 of a tensor that is to be read. */
    long loan() {
        return loan;
    }

    /** Writes the record of a tensor that lies so far from the region's begin. @param loan its number, or 0 if it is to be read */
    static void write(MemorySegment words, long sequence, MemoryRegion region, long regionOffset, ElementType type,
            Shape shape, long loan) {
        set(words, SEQUENCE, sequence);
        set(words, ADDRESS, region.address() + regionOffset);
        set(words, RKEY, region.rkey());
        set(words, TENSOR_BYTE_SIZE, shape.byteSize(type));
        set(words, TYPE, loan << LOAN_SHIFT | (long) shape.rank() << RANK_SHIFT | type.code());
        for (int i = 0; i < shape.rank(); i++) {
            set(words, DIMENSION - i, shape.dimension(i));
        }
        for (int i = shape.rank(); i < Shape.RANK_MAX; i++) {
            set(words, DIMENSION - i, 0);
        }
        set(words, CHECKSUM, checksum(words));
    }

    /** Writes that there is no tensor of that sequence. */
    static void writeDead(MemorySegment words, long sequence) {
        words.asSlice(0, BYTE_SIZE).fill((byte) 0);
        set(words, SEQUENCE, sequence);
        set(words, TYPE, DEAD);
        set(words, CHECKSUM, checksum(words));
    }

    /** @throws TransferException if it is not what {@link #write} or {@link #writeDead} makes of that sequence */
    void read(MemorySegment words, long sequence) {
        try {
            require(get(words, CHECKSUM) == checksum(words), "checksum", get(words, CHECKSUM));
            require(get(words, SEQUENCE) == sequence, "sequence", get(words, SEQUENCE));
            long typeAndRank = get(words, TYPE);
            isDead = typeAndRank == DEAD;
            if (isDead) {
                loan = 0;
                return;
            }
            type = ElementType.ofCode((int) (typeAndRank & BYTE_MASK));
            readShape(words, typeAndRank >>> RANK_SHIFT & BYTE_MASK);
            loan = typeAndRank >>> LOAN_SHIFT;
            require(loan <= Loans.MAX, "loan", loan);
            require(get(words, TENSOR_BYTE_SIZE) == byteSize(), "byteSize", get(words, TENSOR_BYTE_SIZE));
        } catch (IllegalArgumentException e) {
            throw new TransferException("malformed record of a tensor: sequence=" + sequence + ": " + e.getMessage(),
                    e);
        }
        address = get(words, ADDRESS);
        rkey = get(words, RKEY);
    }

    private void readShape(MemorySegment words, long rank) {
        require(rank <= Shape.RANK_MAX, "rank", rank);
        if (shape != null && isOf(words, shape, rank)) {
            return;
        }
        long[] dimensions = new long[(int) rank];
        for (int i = 0; i < rank; i++) {
            dimensions[i] = get(words, DIMENSION - i);
        }
        shape = Shape.of(dimensions);
    }

    private static boolean isOf(MemorySegment words, Shape shape, long rank) {
        boolean isSame = shape.rank() == rank;
        for (int i = 0; isSame && i < rank; i++) {
            isSame = shape.dimension(i) == get(words, DIMENSION - i);
        }
        return isSame;
    }

    /** Each step waits for the one before: over sixteen dimensions it would take as long as writing a small tensor. */
    static long checksum(MemorySegment words) {
        int last = TYPE - Math.clamp(get(words, TYPE) >>> RANK_SHIFT & BYTE_MASK, 0, Shape.RANK_MAX);
        long sum = 0;
        for (int i = SEQUENCE; i >= last; i--) {
            sum = Long.rotateLeft((sum ^ get(words, i)) * MULTIPLIER, 29);
        }
        // Memory that is all zero is no record.
        return ~sum;
    }

    private static void require(boolean holds, String what, long value) {
        if (!holds) {
            throw new IllegalArgumentException(what + "=" + value);
        }
    }

    private static long get(MemorySegment words, int index) {
        return words.getAtIndex(ValueLayout.JAVA_LONG, index);
    }

    private static void set(MemorySegment words, int index, long value) {
        words.setAtIndex(ValueLayout.JAVA_LONG, index, value);
    }
}
