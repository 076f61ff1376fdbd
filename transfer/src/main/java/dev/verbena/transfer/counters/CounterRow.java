package dev.verbena.transfer.counters;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/**
 * What one sender or receiver counts, as it lies in the file; the first row of a file is the device's own.
 *
 * <pre>
 *     0  STATE        free, in use; the device's: layout's magic number   changed while the file is locked
 *     8  TERM         how often the row was taken
 *   128  WORDS        {@link Word}, one line of its own and the one that is fetched with it, written at each transfer
 *   256  BUCKETS      {@link LatencyBuckets#COUNT} times 8, written by whoever drives
 *        TEXTS        {@link Text}: int size, UTF-8, cut off where it is longer
 * </pre>
 *
 * Each word has one writer at a time and is read by other processes, so it is written whole, and no order is kept between two.
 *
 * <p><b>Owner:</b> {@link CounterFile}. <b>Threading:</b> as above.
 */
public final class CounterRow {
    /** A number of the row; sizes are bytes. */
    public enum Word {
        /** Whether the counts are of a receiver; 0 or 1. */
        RECEIVES,
        /** Taken from, or handed to, the program. */
        TENSORS,
        BYTES,
        /** Copied by a CPU into registered memory, to be sent from there. */
        STAGED_TENSORS,
        STAGED_BYTES,
        /** Copied by a CPU because the fabric has no adapter that does. */
        FABRIC_BYTES,
        /** Offers that were not taken. */
        BACK_PRESSURED,
        /** Of the device's row: registered at present. */
        REGISTERED_BYTES,
        /** Of the device's row: ever. */
        REGISTRATIONS
    }

    /** A text of the row. */
    public enum Text {
        /** Of the device's row: the device's name. */
        NAME(512), PEER(512),
        /** The protocol, and why; of the device's row: the fabric. */
        CHOICE(252);

        private final int byteSizeMax;
        private long offset;

        Text(int byteSizeMax) {
            this.byteSizeMax = byteSizeMax;
        }
    }

    static final long FREE = 0;
    static final long IN_USE = 1;

    private static final long LINES = 128;
    private static final long TERM = 8;
    private static final long WORDS = LINES;
    private static final long BUCKETS = WORDS + roundUp(Word.values().length * 8L);
    private static final long TEXTS = BUCKETS + LatencyBuckets.COUNT * 8L;
    static final long BYTE_SIZE;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle SIZE = ValueLayout.JAVA_INT.varHandle();

    static {
        long end = TEXTS;
        for (Text text : Text.values()) {
            text.offset = end;
            end += 4 + text.byteSizeMax;
        }
        BYTE_SIZE = roundUp(end);
    }

    private final MemorySegment memory;

    CounterRow(MemorySegment memory) {
        this.memory = memory;
    }

    private static long roundUp(long byteSize) {
        return (byteSize + LINES - 1) / LINES * LINES;
    }

    /** A row that nobody else sees; off the heap as the others, since code that has met both kinds of segment is slower for either. */
    public static CounterRow unshared() {
        return new CounterRow(Arena.ofAuto().allocate(BYTE_SIZE, LINES));
    }

    public long get(Word word) {
        return (long) WORD.getOpaque(memory, WORDS + word.ordinal() * 8L);
    }

    /** By the word's one writer. */
    public void set(Word word, long value) {
        WORD.setOpaque(memory, WORDS + word.ordinal() * 8L, value);
    }

    /** By the word's one writer. */
    public void add(Word word, long value) {
        set(word, get(word) + value);
    }

    /** By who drives. */
    public void countLatency(long ns) {
        long offset = BUCKETS + LatencyBuckets.indexOf(ns) * 8L;
        WORD.setOpaque(memory, offset, (long) WORD.getOpaque(memory, offset) + 1);
    }

    public long[] latencies() {
        long[] counts = new long[LatencyBuckets.COUNT];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = (long) WORD.getOpaque(memory, BUCKETS + i * 8L);
        }
        return counts;
    }

    public String text(Text text) {
        int byteSize = Math.clamp((int) SIZE.getAcquire(memory, text.offset), 0, text.byteSizeMax);
        byte[] bytes = memory.asSlice(text.offset + 4, byteSize).toArray(ValueLayout.JAVA_BYTE);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** What does not fit is cut off, between two characters. */
    public void text(Text text, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        int byteSize = Math.min(bytes.length, text.byteSizeMax);
        while (byteSize < bytes.length && byteSize > 0 && (bytes[byteSize] & 0xc0) == 0x80) {
            byteSize--;
        }
        SIZE.setRelease(memory, text.offset, 0);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, text.offset + 4, byteSize);
        SIZE.setRelease(memory, text.offset, byteSize);
    }

    long stateAcquire() {
        return (long) WORD.getAcquire(memory, 0);
    }

    void stateRelease(long state) {
        WORD.setRelease(memory, 0, state);
    }

    /** Differs between two tenants of the row. */
    public long termAcquire() {
        return (long) WORD.getAcquire(memory, TERM);
    }

    /** Empties it for the next tenant. */
    void clear() {
        long term = termAcquire();
        memory.asSlice(WORDS).fill((byte) 0);
        WORD.setRelease(memory, TERM, term + 1);
    }
}
