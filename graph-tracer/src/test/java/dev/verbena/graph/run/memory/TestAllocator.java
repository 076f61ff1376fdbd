package dev.verbena.graph.run.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Slab;
import dev.verbena.memory.Tensor;

/** Tensors in slabs of their own; a freed one is the next to be handed out again, so addresses are reused at once. */
public final class TestAllocator implements TensorAllocator {
    private final Map<Long, Deque<Slab>> freeBySize = new HashMap<>();
    private final Map<Slab, Boolean> slabs = new HashMap<>();
    private int liveMax;
    private int live;
    private long liveByteSize;
    private long peakByteSize;
    private int allocations;

    public TestAllocator() {
        this(Integer.MAX_VALUE);
    }

    /** Full when {@code liveMax} tensors are live. */
    public TestAllocator(int liveMax) {
        this.liveMax = liveMax;
    }

    @Override
    public synchronized Tensor allocate(ElementType type, Shape shape) {
        if (live == liveMax) {
            return null;
        }
        long byteSize = Math.max(1, shape.byteSize(type));
        Deque<Slab> free = freeBySize.computeIfAbsent(byteSize, key -> new ArrayDeque<>());
        Slab slab = free.isEmpty() ? slab(byteSize) : free.pop();
        live++;
        liveByteSize += byteSize;
        peakByteSize = Math.max(peakByteSize, liveByteSize);
        allocations++;
        return Tensor.over(slab, 0, type, shape, () -> free(slab));
    }

    private Slab slab(long byteSize) {
        MemorySegment memory = Arena.ofAuto().allocate(byteSize, 4096);
        Slab slab = () -> memory;
        slabs.put(slab, true);
        return slab;
    }

    private synchronized void free(Slab slab) {
        slab.memory().fill((byte) 0x5a);
        live--;
        liveByteSize -= slab.memory().byteSize();
        freeBySize.get(slab.memory().byteSize()).push(slab);
    }

    public synchronized boolean owns(Tensor tensor) {
        return slabs.containsKey(tensor.slab());
    }

    /** Full from now on when so many more are live. */
    public synchronized void limit(int more) {
        liveMax = live + more;
    }

    /** The most that was live at the same time. */
    public synchronized long peakByteSize() {
        return peakByteSize;
    }

    public synchronized int live() {
        return live;
    }

    public synchronized int allocations() {
        return allocations;
    }
}
