package dev.verbena.testing.program;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;

import dev.verbena.memory.ElementType;
import dev.verbena.transfer.GroupOptions;
import dev.verbena.transfer.Reduction;

/**
 * An operation of a group as it is planned for all its members.
 *
 * @param seed makes what each has
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Collective(String kind, ElementType type, int count, int root, Reduction reduction, long seed,
        int size) {
    /** Small chunks, and few slots: short tensors have several bands, and members wait for each other. */
    public static final GroupOptions OPTIONS = new GroupOptions(4096, 2);

    private static final int CHUNKS_PER_SEGMENT = 2;
    /** Up to so many elements of four bytes go in one message. */
    private static final int SMALL_COUNT_MAX = 1016;
    private static final int LARGE_COUNT_MAX = 8_000;
    private static final List<ElementType> TYPES = List.of(ElementType.FLOAT32, ElementType.FLOAT64,
            ElementType.INT64);

    /** Of whatever kind, type and length. */
    public static Collective random(Random random, int size) {
        int what = random.nextInt(16);
        String kind = what < 12 ? "reduce" : what < 14 ? "broadcast" : what == 14 ? "gather" : "barrier";
        ElementType type = TYPES.get(random.nextInt(TYPES.size()));
        int count = random.nextInt(random.nextBoolean() ? SMALL_COUNT_MAX : LARGE_COUNT_MAX);
        return new Collective(kind, type, count, random.nextInt(size),
                type == ElementType.INT64 || random.nextBoolean() ? Reduction.SUM : Reduction.MEAN,
                random.nextLong(), size);
    }

    /** In which all hear of a failure: the root of a broadcast waits for nobody. */
    public static Collective barrier(int size) {
        return new Collective("barrier", ElementType.INT64, 0, 0, Reduction.SUM, 0, size);
    }

    /** What no other does at the same time. */
    public Collective other() {
        return kind.equals("reduce") ? new Collective(kind, type, count + 1, root, reduction, seed, size)
                : new Collective("reduce", type, 10, root, Reduction.SUM, seed, size);
    }

    /** What a rank has, as doubles that are far apart, so that the order of sums shows. */
    private double value(int rank, int i) {
        long bits = (seed + 1_000_003L * rank + i) * 0x9E37_79B9_7F4A_7C15L;
        bits = (bits ^ bits >>> 29) * 0xBF58_476D_1CE4_E5B9L;
        return type == ElementType.INT64 ? bits >> 24 : (bits >> 24) * Math.scalb(1.0, (int) (bits & 31) - 40);
    }

    /** Writes what a rank has. */
    public void fill(MemorySegment memory, int rank) {
        for (int i = 0; i < count; i++) {
            double value = value(rank, i);
            switch (type) {
                case FLOAT32 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
                case FLOAT64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
                default -> memory.setAtIndex(ValueLayout.JAVA_LONG, i, (long) value);
            }
        }
    }

    /** Whose term is the first; the others follow in the order of ranks. */
    private int firstTerm(int i) {
        if (type.byteSize(count) <= SMALL_COUNT_MAX * 4L) {
            return 0;
        }
        int bandMax = size * CHUNKS_PER_SEGMENT * (int) (OPTIONS.chunkByteSize() / type.byteSize(1));
        int bandBegin = i - i % bandMax;
        return (i - bandBegin) / Math.ceilDiv(Math.min(bandMax, count - bandBegin), size);
    }

    /** Element i of the result, in bits. */
    private long expected(int i) {
        if (kind.equals("broadcast")) {
            return bits(value(root, i));
        }
        int first = firstTerm(i);
        return switch (type) {
            case FLOAT32 -> {
                float sum = (float) value(first, i);
                for (int k = 1; k < size; k++) {
                    sum += (float) value((first + k) % size, i);
                }
                yield Float.floatToRawIntBits(reduction == Reduction.MEAN ? sum / size : sum);
            }
            case FLOAT64 -> {
                double sum = value(first, i);
                for (int k = 1; k < size; k++) {
                    sum += value((first + k) % size, i);
                }
                yield Double.doubleToRawLongBits(reduction == Reduction.MEAN ? sum / size : sum);
            }
            default -> {
                long sum = 0;
                for (int rank = 0; rank < size; rank++) {
                    sum += (long) value(rank, i);
                }
                yield sum;
            }
        };
    }

    private long bits(double value) {
        return switch (type) {
            case FLOAT32 -> Float.floatToRawIntBits((float) value);
            case FLOAT64 -> Double.doubleToRawLongBits(value);
            default -> (long) value;
        };
    }

    private long actual(MemorySegment memory, int i) {
        return type == ElementType.FLOAT32 ? memory.getAtIndex(ValueLayout.JAVA_INT, i)
                : memory.getAtIndex(ValueLayout.JAVA_LONG, i);
    }

    /** @throws AssertionError if it is not the result */
    public void check(MemorySegment memory, String who) {
        for (int i = 0; i < count; i++) {
            if (actual(memory, i) != expected(i)) {
                throw new AssertionError(who + " has a wrong element " + i + " of " + this);
            }
        }
    }

    /** What a rank gives to be gathered. */
    public byte[] given(int rank) {
        byte[] bytes = new byte[count + rank];
        new Random(seed + rank).nextBytes(bytes);
        return bytes;
    }
}
