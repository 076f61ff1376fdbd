package dev.verbena.cli.infer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

import dev.verbena.memory.ElementType;

/** How an output of the parts differs from that of one session. */
final class OutputDifference {
    private OutputDifference() {}

    /** Empty if all bits are the same; half a sentence if not. */
    static Optional<String> between(byte[] computed, byte[] expected, ElementType type) {
        int at = Arrays.mismatch(computed, expected);
        if (at < 0) {
            return Optional.empty();
        }
        String where = "first in byte " + at;
        return Optional.of(type == ElementType.FLOAT32 && computed.length == expected.length
                ? where + ", by at most " + furthest(MemorySegment.ofArray(computed), MemorySegment.ofArray(expected))
                : where);
    }

    private static String furthest(MemorySegment computed, MemorySegment expected) {
        float furthest = 0;
        float largest = 0;
        for (long at = 0; at < computed.byteSize(); at += Float.BYTES) {
            float own = computed.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
            float other = expected.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
            furthest = Math.max(furthest, Math.abs(own - other));
            largest = Math.max(largest, Math.abs(other));
        }
        return String.format(Locale.ROOT, "%.2g, where the largest element is %.2g", furthest, largest);
    }
}
