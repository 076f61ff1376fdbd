package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.TreeMap;

/** What a scope should be doing within one iteration: which bytes are taken, and by what contents. They come free all at once. */
final class ScopeModel {
    private final TreeMap<Long, Long> endByStart = new TreeMap<>();
    private long pins;

    /** Checks where it lies and fills it. */
    void allocated(MemorySegment memory, long byteSize, long alignment) {
        assertEquals(byteSize, memory.byteSize(), "size");
        assertEquals(0, memory.address() & alignment - 1, "alignment");
        take(memory.address(), byteSize);
        memory.fill(pattern(memory));
    }

    /** Also what is empty has its place. */
    synchronized void take(long start, long byteSize) {
        long end = start + Math.max(byteSize, 1);
        Map.Entry<Long, Long> below = endByStart.lowerEntry(end);
        assertTrue(below == null || below.getValue() <= start, "overlap");
        endByStart.put(start, end);
    }

    /** Checks that nobody wrote over it. */
    void check(MemorySegment memory) {
        long byteSize = memory.byteSize();
        if (byteSize > 0) {
            assertEquals(pattern(memory), memory.get(ValueLayout.JAVA_BYTE, 0), "contents, first byte");
            assertEquals(-1, memory.asSlice(1).mismatch(memory.asSlice(0, byteSize - 1)), "contents");
        }
    }

    synchronized void pinned(int by) {
        pins += by;
    }

    synchronized long pins() {
        return pins;
    }

    synchronized long byteSize() {
        return endByStart.entrySet().stream().mapToLong(entry -> entry.getValue() - entry.getKey()).sum();
    }

    private static byte pattern(MemorySegment memory) {
        long mixed = (memory.address() + 31 * memory.byteSize()) * 0x9E3779B97F4A7C15L;
        return (byte) (mixed >>> 56);
    }
}
