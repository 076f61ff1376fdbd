package dev.verbena.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Interim, first fit under a lock; replaced by the real arena. */
public final class TensorArena implements AutoCloseable {
    private static final long UNIT = 64;

    private record Run(Slab slab, TreeMap<Long, Long> free) {}

    private final SlabSource source;
    private final long byteSize;
    private final long byteSizeMax;
    private final List<Run> runs = new ArrayList<>();
    private long slabBytes;
    private long live;
    private long peak;
    private long count;
    private long allocations;

    private TensorArena(SlabSource source, long byteSize, long byteSizeMax) {
        this.source = source;
        this.byteSize = byteSize;
        this.byteSizeMax = byteSizeMax;
        grow(byteSize);
    }

    /** An arena whose first slab has {@code byteSize} bytes and which grows by further slabs up to {@code byteSizeMax}. */
    public static TensorArena create(SlabSource source, long byteSize, long byteSizeMax) {
        return new TensorArena(source, Math.max(byteSize, 4096), byteSizeMax);
    }

    public static long reservedByteSize(long byteSize) {
        return Math.max((byteSize + UNIT - 1) / UNIT * UNIT, UNIT);
    }

    public Tensor allocate(ElementType type, Shape shape) {
        Tensor tensor = tryAllocate(type, shape);
        if (tensor == null) {
            throw new OutOfArenaMemoryException("asked " + shape.byteSize(type));
        }
        return tensor;
    }

    public synchronized Tensor tryAllocate(ElementType type, Shape shape) {
        long need = reservedByteSize(shape.byteSize(type));
        Tensor tensor = find(type, shape, need);
        if (tensor == null && slabBytes + Math.max(need, byteSize) <= byteSizeMax) {
            grow(Math.max(need, byteSize));
            tensor = find(type, shape, need);
        }
        return tensor;
    }

    private Tensor find(ElementType type, Shape shape, long need) {
        for (Run run : runs) {
            for (var entry : run.free.entrySet()) {
                if (entry.getValue() >= need) {
                    long offset = entry.getKey();
                    long left = entry.getValue() - need;
                    run.free.remove(offset);
                    if (left > 0) {
                        run.free.put(offset + need, left);
                    }
                    live += need;
                    peak = Math.max(peak, live);
                    count++;
                    allocations++;
                    return new Tensor(new Block(run.slab, offset) {
                        @Override
                        void release() {
                            free(run, offset, need);
                        }
                    }, type, shape);
                }
            }
        }
        return null;
    }

    private synchronized void free(Run run, long offset, long size) {
        live -= size;
        count--;
        var before = run.free.floorEntry(offset);
        var after = run.free.get(offset + size);
        if (after != null) {
            run.free.remove(offset + size);
            size += after;
        }
        if (before != null && before.getKey() + before.getValue() == offset) {
            run.free.put(before.getKey(), before.getValue() + size);
        } else {
            run.free.put(offset, size);
        }
    }

    private void grow(long size) {
        Slab slab = source.acquire(size);
        TreeMap<Long, Long> free = new TreeMap<>();
        free.put(0L, size / UNIT * UNIT);
        runs.add(new Run(slab, free));
        slabBytes += size;
    }

    public synchronized ArenaStatistics statistics() {
        long largest = runs.stream().flatMap(run -> run.free.values().stream()).mapToLong(Long::longValue).max()
                .orElse(0);
        return new ArenaStatistics(slabBytes, runs.size(), live, peak, slabBytes - live, largest, count, allocations);
    }

    public boolean isConsistent() {
        return live >= 0;
    }

    @Override
    public synchronized void close() {
        if (count > 0) {
            throw new IllegalStateException(count + " tensors are live");
        }
        runs.forEach(run -> source.release(run.slab));
        runs.clear();
    }
}
