package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.TreeMap;

/**
 * What an arena should be doing: which addresses are taken, and by what contents. Threads tell it of each tensor after it was allocated
 * and before it is freed, so that at every moment the tensors it knows are live and must not overlap.
 */
final class ArenaModel {
    private final TreeMap<Long, Tensor> live = new TreeMap<>();
    private long liveByteSize;
    private long liveByteSizePeak;

    /** Checks where the tensor lies and fills it. */
    void allocated(Tensor tensor) {
        MemorySegment memory = tensor.memory();
        MemorySegment slab = tensor.slab().memory();
        long start = memory.address();
        assertEquals(0, start % 64, "alignment");
        assertEquals(tensor.shape().byteSize(tensor.type()), memory.byteSize(), "size");
        assertEquals(slab.address() + tensor.slabOffset(), start, "offset");
        assertTrue(tensor.slabOffset() >= 0 && tensor.slabOffset() + blockByteSize(tensor) <= slab.byteSize(),
                "bounds");
        synchronized (this) {
            Map.Entry<Long, Tensor> before = live.floorEntry(start);
            assertTrue(before == null || before.getKey() + blockByteSize(before.getValue()) <= start, "overlap below");
            Map.Entry<Long, Tensor> after = live.ceilingEntry(start);
            assertTrue(after == null || start + blockByteSize(tensor) <= after.getKey(), "overlap above");
            assertNull(live.put(start, tensor), "address taken");
            liveByteSize += blockByteSize(tensor);
            liveByteSizePeak = Math.max(liveByteSizePeak, liveByteSize);
        }
        memory.fill(pattern(memory));
    }

    /** Checks that nobody wrote over it; to be called before the tensor may be free. */
    void freeing(Tensor tensor, MemorySegment memory) {
        long byteSize = memory.byteSize();
        if (byteSize > 0) {
            assertEquals(pattern(memory), memory.get(ValueLayout.JAVA_BYTE, 0), "contents, first byte");
            assertEquals(-1, memory.asSlice(1).mismatch(memory.asSlice(0, byteSize - 1)), "contents");
        }
        synchronized (this) {
            assertEquals(tensor, live.remove(memory.address()), "what was live at the address");
            liveByteSize -= blockByteSize(tensor);
        }
    }

    /** Compares figures when no thread is at work. */
    synchronized void check(TensorArena arena) {
        assertTrue(arena.isConsistent(), "consistent");
        ArenaStatistics statistics = arena.statistics();
        assertEquals(live.size(), statistics.liveCount(), "liveCount");
        assertEquals(liveByteSize, statistics.liveByteSize(), "liveByteSize");
        assertEquals(statistics.slabByteSize(), statistics.liveByteSize() + statistics.freeByteSize(), "conservation");
        assertTrue(statistics.livePeakByteSize() >= liveByteSizePeak, "peak");
        assertTrue(arena.isConsistent(), "consistent after draining");
        if (live.isEmpty()) {
            assertEquals(statistics.slabCount(), statistics.freeRunCount(), "coalesced to one run per slab");
        }
    }

    static long blockByteSize(Tensor tensor) {
        return blockByteSize(tensor.byteSize());
    }

    static long blockByteSize(long byteSize) {
        return SizeClasses.isSmall(byteSize)
                ? SizeClasses.slotByteSize(SizeClasses.indexOf(byteSize))
                : SizeClasses.ceilToPage(byteSize);
    }

    private static byte pattern(MemorySegment memory) {
        long mixed = (memory.address() / 64 + memory.byteSize()) * 0x9E3779B97F4A7C15L;
        return (byte) (mixed >>> 56);
    }
}
