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
 *    0          1         2      3           4                      5 .. 20                          21
 *   +----------+---------+------+-----------+----------------------+--------------------------------+----------+
 *   | sequence | address | rkey | byte size | rank * 256 + type    | dimensions, behind them zeros  | checksum |
 *   +----------+---------+------+-----------+----------------------+--------------------------------+----------+
 * </pre>
 *
 * The sequence counts from 0. Of an empty tensor, address and rkey mean nothing. The checksum is over all words before it: a record that is
 * stale or torn does not have its own.
 *
 * <p><b>Owner:</b> who receives. <b>Threading:</b> confined to its owner; filled again by each {@link #read}, and nothing is allocated as
 * long as the shape stays the same.
 */
final class DynamicRecord {
    private static final int SEQUENCE = 0;
    private static final int ADDRESS = 1;
    private static final int RKEY = 2;
    private static final int TENSOR_BYTE_SIZE = 3;
    private static final int TYPE = 4;
    private static final int DIMENSIONS = 5;
    private static final int CHECKSUM = DIMENSIONS + Shape.RANK_MAX;
    private static final int RANK_SHIFT = 8;
    private static final int TYPE_MASK = 0xff;
    /** Odd, with bits all over: the golden ratio's, as in Knuth's multiplicative hashing (TAOCP 6.4). */
    private static final long MULTIPLIER = 0x9e3779b97f4a7c15L;

    static final long BYTE_SIZE = (CHECKSUM + 1L) * Long.BYTES;

    private ElementType type;
    private Shape shape;
    private long address;
    private long rkey;

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

    /** Writes the record of a tensor that lies so far from the region's begin. */
    static void write(MemorySegment words, long sequence, MemoryRegion region, long regionOffset, ElementType type,
            Shape shape) {
        set(words, SEQUENCE, sequence);
        set(words, ADDRESS, region.address() + regionOffset);
        set(words, RKEY, region.rkey());
        set(words, TENSOR_BYTE_SIZE, shape.byteSize(type));
        set(words, TYPE, (long) shape.rank() << RANK_SHIFT | type.code());
        for (int i = 0; i < Shape.RANK_MAX; i++) {
            set(words, DIMENSIONS + i, i < shape.rank() ? shape.dimension(i) : 0);
        }
        set(words, CHECKSUM, checksum(words));
    }

    /** @throws TransferException if it is not what {@link #write} makes of a tensor as the one of that sequence */
    void read(MemorySegment words, long sequence) {
        try {
            require(get(words, CHECKSUM) == checksum(words), "checksum", get(words, CHECKSUM));
            require(get(words, SEQUENCE) == sequence, "sequence", get(words, SEQUENCE));
            long typeAndRank = get(words, TYPE);
            type = ElementType.ofCode((int) (typeAndRank & TYPE_MASK));
            readShape(words, typeAndRank >>> RANK_SHIFT);
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
        for (int i = (int) rank; i < Shape.RANK_MAX; i++) {
            require(get(words, DIMENSIONS + i) == 0, "dimension behind the last", get(words, DIMENSIONS + i));
        }
        if (shape != null && isOf(words, shape, rank)) {
            return;
        }
        long[] dimensions = new long[(int) rank];
        for (int i = 0; i < rank; i++) {
            dimensions[i] = get(words, DIMENSIONS + i);
        }
        shape = Shape.of(dimensions);
    }

    private static boolean isOf(MemorySegment words, Shape shape, long rank) {
        boolean isSame = shape.rank() == rank;
        for (int i = 0; isSame && i < rank; i++) {
            isSame = shape.dimension(i) == get(words, DIMENSIONS + i);
        }
        return isSame;
    }

    static long checksum(MemorySegment words) {
        long sum = 0;
        for (int i = 0; i < CHECKSUM; i++) {
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
