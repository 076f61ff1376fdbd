package dev.verbena.transfer.exchange;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.transfer.TransferException;

/**
 * One tensor, or what is said instead of one, in a message of an exchange. A message has as many as are there to be sent, in order, and
 * behind the last one its own length, since it lies at the end of its slot. Words of eight bytes in native order; texts and bytes are padded
 * to words:
 *
 * <pre>
 *   0                                                              1      2        3           4
 *  +--------------------------------------------------------------+------+---------+-----------+----------+
 *  | kind | type << 8 | rank << 16 | flags << 24 | name size << 32 | step | name id | byte size | checksum |  header
 *  +--------------------------------------------------------------+------+---------+-----------+----------+
 *  | name, if NAMED | dimensions, if SHAPED |
 *  | EAGER, BYTES, ERROR: the bytes | RENDEZVOUS, WITHDRAWAL: address, rkey, release address, release rkey, round | DEAD: nothing |
 *
 *   release word   63             8                   0
 *                 +----------------+-------------------+
 *                 | round, from 1  | READ or WITHDRAWN |     round: the how manieth tensor that uses this word
 *                 +----------------+-------------------+
 * </pre>
 *
 * What a sender has told of a name, under its id, it tells no more: the name, and the type and shape of its tensors as long as they stay the
 * same (TensorFlow's verbs transport caches them at the receiver too). The id {@link #NAMES_MAX} is told nothing by: there name and shape
 * come with each.
 *
 * <p><b>Owner:</b> who receives. <b>Threading:</b> confined to its owner; filled again by each {@link #read}.
 */
final class ExchangeEntry {
    /** Of a slot. */
    static final int MESSAGE_BYTE_SIZE = 8 * 1024;
    static final int NAME_BYTE_SIZE_MAX = 512;
    /** Ids that a sender may use, from 0. */
    static final int NAMES_MAX = 4096;
    static final int WORD = Long.BYTES;
    private static final int HEADER_BYTE_SIZE = 5 * WORD;
    static final int PLACE_BYTE_SIZE = 5 * WORD;
    /** Of one entry that has a message for itself, whatever it is called and shaped. */
    static final int PAYLOAD_BYTE_SIZE_MAX = MESSAGE_BYTE_SIZE - WORD - HEADER_BYTE_SIZE - NAME_BYTE_SIZE_MAX
            - Shape.RANK_MAX * WORD;

    /** The outcomes of a rendezvous, in the low bits of its release word. */
    static final long READ = 1;
    static final long WITHDRAWN = 2;
    private static final int ROUND_SHIFT = 8;
    private static final int TYPE_SHIFT = 8;
    private static final int RANK_SHIFT = 16;
    private static final int FLAGS_SHIFT = 24;
    private static final int NAME_SHIFT = 32;
    private static final int BYTE_MASK = 0xff;
    static final int NAMED = 1;
    static final int SHAPED = 2;
    static final int CHECKED = 4;
    private static final int FLAGS = NAMED | SHAPED | CHECKED;

    /** What an entry says. */
    enum Kind {
        /** Here is a tensor. */
        EAGER,
        /** There is a tensor, to be read. */
        RENDEZVOUS,
        /** Here are bytes. */
        BYTES,
        /** There is no value. */
        DEAD,
        /** The sender failed, with these words. */
        ERROR,
        /** The tensor that was told of is not to be read any more, if nobody reads it yet; the release word says which. */
        WITHDRAWAL;

        private static final Kind[] ALL = values();

        boolean isTensor() {
            return this == EAGER || this == RENDEZVOUS;
        }

        /** Whether it says where a tensor lies. */
        boolean isOfPlace() {
            return this == RENDEZVOUS || this == WITHDRAWAL;
        }
    }

    private final ExchangeNames names = new ExchangeNames();
    private Kind kind;
    private int flags;
    private long step;
    private long byteSize;
    private long checksum;
    private ExchangeNames.Known known;
    private MemorySegment message;
    /** Of what comes behind name and shape. */
    private long payloadOffset;

    Kind kind() {
        return kind;
    }

    String name() {
        return known.name();
    }

    long step() {
        return step;
    }

    ElementType type() {
        return known.type();
    }

    Shape shape() {
        return known.shape();
    }

    /** Of the tensor, or of the bytes or the text. */
    long byteSize() {
        return byteSize;
    }

    boolean isChecked() {
        return (flags & CHECKED) != 0;
    }

    long checksum() {
        return checksum;
    }

    /** What lies in the message. */
    void copyPayloadTo(MemorySegment target) {
        MemorySegment.copy(message, payloadOffset, target, 0, byteSize);
    }

    String text() {
        return new String(message.asSlice(payloadOffset, byteSize).toArray(ValueLayout.JAVA_BYTE),
                StandardCharsets.UTF_8);
    }

    /** Of a place: word 0 to 4 as drawn. */
    long rendezvous(int index) {
        return get(message, payloadOffset + (long) index * WORD);
    }

    /** What is written to a release word at the end of that round. */
    static long releaseWord(long round, long outcome) {
        return round << ROUND_SHIFT | outcome;
    }

    /** A new sender tells everything anew. */
    void forget() {
        names.clear();
    }

    // ---- sending ----

    static long byteSize(int nameByteSize, int rank, int flags, long payloadByteSize) {
        return HEADER_BYTE_SIZE + ((flags & NAMED) != 0 ? padded(nameByteSize) : 0)
                + ((flags & SHAPED) != 0 ? (long) rank * WORD : 0) + padded(payloadByteSize);
    }

    /** Writes all but the payload; the shape is null where there is none. @return where the payload begins */
    static long write(MemorySegment message, long offset, Kind kind, int flags, byte[] name, int nameId, long step,
            ElementType type, Shape shape, long byteSize, long checksum) {
        boolean isNamed = (flags & NAMED) != 0;
        boolean isShaped = (flags & SHAPED) != 0;
        long first = kind.ordinal()
                | (isShaped ? (long) type.code() << TYPE_SHIFT | (long) shape.rank() << RANK_SHIFT : 0)
                | (long) flags << FLAGS_SHIFT | (isNamed ? (long) name.length << NAME_SHIFT : 0);
        set(message, offset, first);
        set(message, offset + WORD, step);
        set(message, offset + 2 * WORD, nameId);
        set(message, offset + 3 * WORD, byteSize);
        set(message, offset + 4 * WORD, checksum);
        long at = offset + HEADER_BYTE_SIZE;
        if (isNamed) {
            MemorySegment.copy(name, 0, message, ValueLayout.JAVA_BYTE, at, name.length);
            at += padded(name.length);
        }
        for (int i = 0; isShaped && i < shape.rank(); i++) {
            set(message, at, shape.dimension(i));
            at += WORD;
        }
        return at;
    }

    /** Ends a message that has so many bytes. @return how many it has now */
    static long end(MemorySegment message, long offset) {
        set(message, offset, offset + WORD);
        return offset + WORD;
    }

    // ---- receiving ----

    /** @return where the first entry of the message in that slot lies
     * @throws TransferException if there is no message in it */
    static long begin(MemorySegment slot) {
        long byteSize = get(slot, MESSAGE_BYTE_SIZE - WORD);
        if (byteSize < HEADER_BYTE_SIZE + WORD || byteSize > MESSAGE_BYTE_SIZE || byteSize % WORD != 0) {
            throw new TransferException("malformed message of an exchange: byteSize=" + byteSize);
        }
        return MESSAGE_BYTE_SIZE - byteSize;
    }

    static boolean isEnd(long offset) {
        return offset == MESSAGE_BYTE_SIZE - WORD;
    }

    /**
     * Reads the entry that lies there.
     *
     * @return where the next one lies
     * @throws TransferException if it is not what {@link #write} makes
     */
    long read(MemorySegment slot, long offset) {
        try {
            message = slot;
            long end = MESSAGE_BYTE_SIZE - WORD;
            require(end - offset >= HEADER_BYTE_SIZE, "offset", offset);
            long first = get(slot, offset);
            int ordinal = (int) (first & BYTE_MASK);
            require(ordinal < Kind.ALL.length, "kind", ordinal);
            kind = Kind.ALL[ordinal];
            flags = (int) (first >>> FLAGS_SHIFT) & BYTE_MASK;
            require((flags & ~FLAGS) == 0, "flags", flags);
            step = get(slot, offset + WORD);
            byteSize = get(slot, offset + 3 * WORD);
            checksum = get(slot, offset + 4 * WORD);
            require(byteSize >= (kind.isOfPlace() ? 1 : 0), "byteSize", byteSize);
            long at = readName(slot, offset + HEADER_BYTE_SIZE, get(slot, offset + 2 * WORD), first >>> NAME_SHIFT,
                    end);
            at = readShape(slot, at, (int) (first >>> TYPE_SHIFT) & BYTE_MASK, (int) (first >>> RANK_SHIFT) & BYTE_MASK,
                    end);
            long payloadByteSize = kind.isOfPlace() ? PLACE_BYTE_SIZE : kind == Kind.DEAD ? 0 : byteSize;
            require(padded(payloadByteSize) <= end - at, "byteSize", byteSize);
            payloadOffset = at;
            return at + padded(payloadByteSize);
        } catch (IllegalArgumentException e) {
            throw new TransferException("malformed entry of an exchange: " + e.getMessage(), e);
        }
    }

    private long readName(MemorySegment slot, long at, long id, long nameByteSize, long end) {
        boolean isNamed = (flags & NAMED) != 0;
        require(id >= 0 && id <= NAMES_MAX, "nameId", id);
        require(isNamed ? nameByteSize >= 1 && nameByteSize <= NAME_BYTE_SIZE_MAX : nameByteSize == 0, "nameByteSize",
                nameByteSize);
        require(padded(nameByteSize) <= end - at, "nameByteSize", nameByteSize);
        if (isNamed) {
            byte[] bytes = slot.asSlice(at, nameByteSize).toArray(ValueLayout.JAVA_BYTE);
            names.put((int) id, new String(bytes, StandardCharsets.UTF_8));
        }
        known = names.get((int) id);
        require(known != null, "unknown nameId", id);
        return at + padded(nameByteSize);
    }

    private long readShape(MemorySegment slot, long at, int type, int rank, long end) {
        if ((flags & SHAPED) != 0) {
            require(rank <= Shape.RANK_MAX && (long) rank * WORD <= end - at, "rank", rank);
            long[] dimensions = new long[rank];
            for (int i = 0; i < rank; i++) {
                dimensions[i] = get(slot, at + (long) i * WORD);
            }
            known.take(ElementType.ofCode(type), Shape.of(dimensions));
        }
        if (kind.isTensor()) {
            require(known.shape() != null, "no shape of nameId", 0);
            require(known.shape().byteSize(known.type()) == byteSize, "byteSize", byteSize);
        }
        return (flags & SHAPED) != 0 ? at + (long) rank * WORD : at;
    }

    private static void require(boolean holds, String what, long value) {
        if (!holds) {
            throw new IllegalArgumentException(what + "=" + value);
        }
    }

    static long padded(long byteSize) {
        return byteSize > MESSAGE_BYTE_SIZE ? byteSize : (byteSize + WORD - 1) / WORD * WORD;
    }

    static long get(MemorySegment message, long offset) {
        return message.get(ValueLayout.JAVA_LONG, offset);
    }

    static void set(MemorySegment message, long offset, long value) {
        message.set(ValueLayout.JAVA_LONG, offset, value);
    }
}
