package dev.verbena.training.checkpoint;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.CheckpointException;

/**
 * The beginning of a checkpoint, which says what is in it and where. All its numbers are big-endian; elements of variables are as they lie
 * in memory, little-endian.
 *
 * <pre>
 *   0          8         12                  16           24          32
 *   | VERBCKPT | version | CRC32C of all     | table's    | file's    | table ... | 0 | variable | 0 | variable | ...
 *   |          |         | before the first  | byteSize   | byteSize  |           each at a multiple of 64 bytes
 *   |          |         | 0 but this number |            |           |
 *
 *   table: task, fingerprint, iteration | count, (name, number) each | count, (name, type, rank, dimensions, offset, CRC32C) each
 * </pre>
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param byteSize of the whole file
 */
record CheckpointTable(CheckpointHeader header, List<Entry> entries, long byteSize) {
    /** A variable. @param checksum CRC32C of its bytes */
    record Entry(String name, ElementType type, Shape shape, long offset, int checksum) {
        long byteSize() {
            return shape.byteSize(type);
        }

        Entry withChecksum(int sum) {
            return new Entry(name, type, shape, offset, sum);
        }

        String typeText() {
            return "" + type + shape;
        }
    }

    static final int START_BYTE_SIZE = 32;
    static final int ALIGNMENT = 64;

    private static final byte[] MAGIC = "VERBCKPT".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 1;
    private static final int CHECKSUM_OFFSET = 12;
    /** What is larger is damage. */
    private static final int TABLE_BYTE_SIZE_MAX = 1 << 30;

    /** Of variables whose checksums are not known yet. */
    static CheckpointTable of(CheckpointHeader header, Map<String, Tensor> variables) {
        List<Entry> entries = new ArrayList<>();
        variables.forEach((name, tensor) -> entries.add(new Entry(name, tensor.type(), tensor.shape(), 0, 0)));
        // Offsets are of fixed width, so the table is as long with them as without.
        long offset = aligned(START_BYTE_SIZE + (long) encodeTable(header, entries).length);
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            entries.set(i, new Entry(entry.name, entry.type, entry.shape, offset, 0));
            offset = aligned(offset + entry.byteSize());
        }
        return new CheckpointTable(header, entries, offset);
    }

    private static long aligned(long offset) {
        return Math.ceilDiv(offset, ALIGNMENT) * ALIGNMENT;
    }

    CheckpointTable withChecksums(int[] sums) {
        List<Entry> summed = new ArrayList<>();
        for (Entry entry : entries) {
            summed.add(entry.withChecksum(sums[summed.size()]));
        }
        return new CheckpointTable(header, summed, byteSize);
    }

    /** Start and table, as they stand in the file. */
    byte[] encode() {
        byte[] table = encodeTable(header, entries);
        ByteBuffer bytes = ByteBuffer.allocate(START_BYTE_SIZE + table.length);
        bytes.put(MAGIC).putInt(VERSION).putInt(0).putLong(table.length).putLong(byteSize).put(table);
        return bytes.putInt(CHECKSUM_OFFSET, checksum(bytes.array())).array();
    }

    private static byte[] encodeTable(CheckpointHeader header, List<Entry> entries) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            put(out, header.task());
            put(out, header.fingerprint());
            out.writeLong(header.iteration());
            out.writeInt(header.state().size());
            for (Map.Entry<String, Long> number : header.state().entrySet()) {
                put(out, number.getKey());
                out.writeLong(number.getValue());
            }
            out.writeInt(entries.size());
            for (Entry entry : entries) {
                put(out, entry.name);
                out.writeInt(entry.type.code());
                out.writeInt(entry.shape.rank());
                for (long dimension : entry.shape.dimensions()) {
                    out.writeLong(dimension);
                }
                out.writeLong(entry.offset);
                out.writeInt(entry.checksum);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("never of an array", e);
        }
        return bytes.toByteArray();
    }

    private static void put(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static int checksum(byte[] startAndTable) {
        CRC32C sum = new CRC32C();
        sum.update(startAndTable, 0, CHECKSUM_OFFSET);
        int from = CHECKSUM_OFFSET + Integer.BYTES;
        sum.update(startAndTable, from, startAndTable.length - from);
        return (int) sum.getValue();
    }

    /**
     * How long start and table are, by the start alone.
     *
     * @param fileByteSize of the file that begins so
     * @throws CheckpointException if it is not the start of a checkpoint of that size; the message lacks the file's name
     */
    static int byteSizeOf(byte[] start, long fileByteSize) {
        ByteBuffer in = ByteBuffer.wrap(start);
        if (start.length < START_BYTE_SIZE || in.slice(0, MAGIC.length).compareTo(ByteBuffer.wrap(MAGIC)) != 0) {
            throw new CheckpointException(
                    "is no checkpoint: it does not begin as one; give a file that a training wrote");
        }
        int version = in.getInt(MAGIC.length);
        if (version != VERSION) {
            throw new CheckpointException("is a checkpoint of version " + version + ", and this program reads version "
                    + VERSION + "; take the program that wrote it");
        }
        long tableByteSize = in.getLong(16);
        long byteSize = in.getLong(24);
        if (byteSize != fileByteSize) {
            throw new CheckpointException((fileByteSize < byteSize ? "is cut off" : "is damaged") + ": it has "
                    + fileByteSize + " bytes, and its start says " + byteSize + "; take another checkpoint");
        }
        if (tableByteSize < 0 || tableByteSize > Math.min(TABLE_BYTE_SIZE_MAX, fileByteSize - START_BYTE_SIZE)) {
            throw new CheckpointException("is damaged: its start says that the table has " + tableByteSize
                    + " bytes; take another checkpoint");
        }
        return START_BYTE_SIZE + (int) tableByteSize;
    }

    /**
     * What start and table say.
     *
     * @throws CheckpointException if they are damaged; the message lacks the file's name
     */
    static CheckpointTable decode(byte[] startAndTable) {
        ByteBuffer in = ByteBuffer.wrap(startAndTable);
        int expected = in.getInt(CHECKSUM_OFFSET);
        int actual = checksum(startAndTable);
        if (actual != expected) {
            throw new CheckpointException(
                    "is damaged: bytes 0 to " + startAndTable.length + ", its table, have the checksum "
                            + "0x%08x, not 0x%08x".formatted(actual, expected) + "; take another checkpoint");
        }
        long byteSize = in.getLong(24);
        in.position(START_BYTE_SIZE);
        try {
            String task = text(in);
            String fingerprint = text(in);
            long iteration = in.getLong();
            Map<String, Long> state = new TreeMap<>();
            for (int count = in.getInt(); count > 0; count--) {
                state.put(text(in), in.getLong());
            }
            List<Entry> entries = new ArrayList<>();
            for (int count = in.getInt(); count > 0; count--) {
                entries.add(entry(in, byteSize));
            }
            return new CheckpointTable(new CheckpointHeader(task, fingerprint, iteration, state), entries, byteSize);
        } catch (RuntimeException e) {
            // Its checksum is right: somebody made it so.
            throw new CheckpointException("is malformed at byte " + in.position() + ", in its table: " + e
                    + "; take another checkpoint", e);
        }
    }

    private static Entry entry(ByteBuffer in, long fileByteSize) {
        String name = text(in);
        ElementType type = ElementType.ofCode(in.getInt());
        int rank = in.getInt();
        if (rank < 0 || rank > Shape.RANK_MAX) {
            throw new IllegalArgumentException("rank=" + rank + " of '" + name + "'");
        }
        long[] dimensions = new long[rank];
        for (int i = 0; i < rank; i++) {
            dimensions[i] = in.getLong();
        }
        Entry entry = new Entry(name, type, Shape.of(dimensions), in.getLong(), in.getInt());
        if (entry.offset < START_BYTE_SIZE || entry.offset % ALIGNMENT != 0
                || entry.byteSize() > fileByteSize - entry.offset) {
            throw new IllegalArgumentException("offset=" + entry.offset + " of '" + name + "'");
        }
        return entry;
    }

    private static String text(ByteBuffer in) {
        int byteSize = in.getInt();
        if (byteSize < 0 || byteSize > in.remaining()) {
            throw new IllegalArgumentException("a name of " + byteSize + " bytes");
        }
        byte[] bytes = new byte[byteSize];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
