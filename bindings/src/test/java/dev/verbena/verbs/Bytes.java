package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What tests look for in memory. */
final class Bytes {
    private Bytes() {}

    /** Zero as long as nobody wrote. */
    static long sum(MemorySegment memory) {
        long sum = 0;
        for (long i = 0; i < memory.byteSize(); i++) {
            sum += memory.get(ValueLayout.JAVA_BYTE, i);
        }
        return sum;
    }

    static void put(LoopbackPair.Side side, long offset, long value) {
        side.region.memory().set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
    }

    static long get(LoopbackPair.Side side, long offset) {
        return side.region.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }
}
