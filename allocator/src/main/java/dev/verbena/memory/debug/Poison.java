package dev.verbena.memory.debug;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What a debug arena fills memory with that nobody has written yet, or should write any more.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
enum Poison {
    /** Of a new block: NaN in every floating-point type, so that a result shows that something was read before it was written. */
    FRESH(0xFF),
    /** Of a freed block. */
    FREED(0xDD),
    /** Around a block. */
    GUARD(0xFD);

    final byte value;

    Poison(int value) {
        this.value = (byte) value;
    }

    void fill(MemorySegment memory) {
        memory.fill(value);
    }

    /** The offset of the first byte that is something else; -1 if there is none. */
    long firstDamaged(MemorySegment memory) {
        long byteSize = memory.byteSize();
        if (byteSize == 0) {
            return -1;
        }
        if (memory.get(ValueLayout.JAVA_BYTE, 0) != value) {
            return 0;
        }
        // As the first byte is right, the first two neighbours that differ are a right one and a wrong one.
        long last = memory.asSlice(1).mismatch(memory.asSlice(0, byteSize - 1));
        return last < 0 ? -1 : last + 1;
    }
}
