package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.TreeMap;

/**
 * What an arena should be doing: which addresses are taken, and by what contents. Threads tell it of each block after it was allocated
 * and before it is freed, so that at every moment the blocks it knows are live and must not overlap.
 */
final class ArenaModel {
    /** By address, the bytes that are taken, and those that the arena counts: none of what lies in a scope. */
    private record Block(long byteSize, long countedByteSize) {}

    private final TreeMap<Long, Block> live = new TreeMap<>();
    private long liveByteSize;
    private long liveByteSizePeak;
    private int liveCount;

    void allocated(Tensor tensor) {
        checkTensor(tensor, 64);
        allocated(tensor.memory(), tensor.slab().memory(), blockByteSize(tensor.byteSize()));
    }

    /** Likewise with headroom, which is filled too; what lies in front of that is nobody's. */
    void allocated(Tensor tensor, TensorOptions options) {
        checkTensor(tensor, Math.max(64, options.alignment()));
        MemorySegment whole = tensor.memoryWithHeadroom();
        assertEquals(tensor.address() - options.headroomByteSize(), whole.address(), "headroom");
        assertEquals(options.headroomByteSize() + tensor.byteSize(), whole.byteSize(), "size with headroom");
        if (options.zeroed()) {
            assertTrue(whole.byteSize() == 0 || whole.get(ValueLayout.JAVA_BYTE, 0) == 0, "first byte zeroed");
            assertTrue(whole.byteSize() == 0
                    || whole.asSlice(1).mismatch(whole.asSlice(0, whole.byteSize() - 1)) == -1, "zeroed");
        }
        allocated(whole, tensor.slab().memory(), Math.max(1, whole.byteSize()),
                blockByteSize(tensor.byteSize(), options));
    }

    private static void checkTensor(Tensor tensor, long alignment) {
        assertEquals(tensor.shape().byteSize(tensor.type()), tensor.memory().byteSize(), "size");
        assertEquals(tensor.slab().memory().address() + tensor.slabOffset(), tensor.address(), "offset");
        assertEquals(0, tensor.address() % alignment, "alignment");
    }

    /** Checks where a block lies and fills it. */
    void allocated(MemorySegment memory, MemorySegment slab, long blockByteSize) {
        assertEquals(0, memory.address() % 64, "alignment");
        allocated(memory, slab, blockByteSize, blockByteSize);
    }

    /** Likewise a part of a block that the arena does not count. */
    void allocatedInScope(MemorySegment memory, MemorySegment slab) {
        allocated(memory, slab, Math.max(1, memory.byteSize()), 0);
    }

    private void allocated(MemorySegment memory, MemorySegment slab, long byteSize, long countedByteSize) {
        long start = memory.address();
        assertTrue(start >= slab.address() && start + byteSize <= slab.address() + slab.byteSize(), "bounds");
        synchronized (this) {
            Map.Entry<Long, Block> before = live.floorEntry(start);
            assertTrue(before == null || before.getKey() + before.getValue().byteSize() <= start, "overlap below");
            Map.Entry<Long, Block> after = live.ceilingEntry(start);
            assertTrue(after == null || start + byteSize <= after.getKey(), "overlap above");
            assertNull(live.put(start, new Block(byteSize, countedByteSize)), "address taken");
            count(countedByteSize, 1);
        }
        memory.fill(pattern(memory));
    }

    /** Checks that nobody wrote over it; to be called before the block may be free. */
    void freeing(MemorySegment memory) {
        checkContents(memory, memory.byteSize());
        synchronized (this) {
            Block block = live.remove(memory.address());
            assertTrue(block != null, "nothing was live at the address");
            count(-block.countedByteSize(), -1);
        }
    }

    /** A block is about to give up all but its first bytes. */
    synchronized void shrinking(HeldBlock.ByAddress block, long byteSize) {
        count(byteSize - live.put(block.address(), new Block(byteSize, byteSize)).countedByteSize(), 0);
    }

    /** A block has become larger or smaller where it is. */
    void resized(MemorySegment before, MemorySegment now, MemorySegment slab, long blockByteSize) {
        long common = Math.min(before.byteSize(), now.byteSize());
        if (common > 0) {
            byte first = pattern(before);
            assertEquals(first, before.get(ValueLayout.JAVA_BYTE, 0), "contents, first byte");
            assertEquals(first, before.get(ValueLayout.JAVA_BYTE, common - 1), "contents, last byte");
        }
        synchronized (this) {
            count(-live.remove(before.address()).countedByteSize(), -1);
        }
        allocated(now, slab, blockByteSize);
    }

    /** Bytes of the live block that begins where this one does. */
    synchronized long blockAt(HeldBlock.ByAddress block) {
        return live.get(block.address()).byteSize();
    }

    private static void checkContents(MemorySegment memory, long byteSize) {
        if (byteSize > 0) {
            assertEquals(pattern(memory), memory.get(ValueLayout.JAVA_BYTE, 0), "contents, first byte");
            assertEquals(-1, memory.asSlice(1).mismatch(memory.asSlice(0, byteSize - 1)), "contents");
        }
    }

    private void count(long countedByteSize, int count) {
        liveByteSize += countedByteSize;
        liveByteSizePeak = Math.max(liveByteSizePeak, liveByteSize);
        liveCount += countedByteSize == 0 ? 0 : count;
    }

    /** Compares figures when no thread is at work and no scope is open. */
    synchronized void check(TensorArena arena) {
        assertTrue(arena.isConsistent(), "consistent");
        ArenaStatistics statistics = arena.statistics();
        assertEquals(liveCount, statistics.liveCount(), "liveCount");
        assertEquals(liveByteSize, statistics.liveByteSize(), "liveByteSize");
        assertEquals(statistics.slabByteSize(), statistics.liveByteSize() + statistics.freeByteSize(), "conservation");
        assertTrue(statistics.livePeakByteSize() >= liveByteSizePeak, "peak");
        assertEquals(statistics.liveByteSize(), arena.map().stream().flatMap(slab -> slab.runs().stream())
                .mapToLong(RunMap::liveByteSize).sum(), "map");
        assertEquals(statistics.liveByteSize(), arena.recentStatistics().liveByteSize(), "usage");
        assertTrue(arena.isConsistent(), "consistent after draining");
        if (live.isEmpty()) {
            assertEquals(statistics.slabCount(), statistics.freeRunCount(), "coalesced to one run per slab");
        }
    }

    static long blockByteSize(long byteSize) {
        return TensorArena.usableByteSize(byteSize);
    }

    private static long blockByteSize(long byteSize, TensorOptions options) {
        long alignment = Math.max(64, options.alignment());
        long front = Math.ceilDiv(options.headroomByteSize(), alignment) * alignment;
        long multiple = Math.min(alignment, 4096);
        long rounded = Math.ceilDiv(front + Math.max(1, byteSize), multiple) * multiple;
        return alignment > 4096 ? rounded : blockByteSize(rounded);
    }

    private static byte pattern(MemorySegment memory) {
        long mixed = (memory.address() / 64 + memory.byteSize()) * 0x9E3779B97F4A7C15L;
        return (byte) (mixed >>> 56);
    }
}
