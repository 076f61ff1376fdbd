package dev.verbena.benchmarks;

import java.util.stream.LongStream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;

/**
 * Netty's direct buffers, without its sampling of leaks. How it gets at memory is its own choice: on Java 25 by foreign functions, which
 * was measured to be faster here than what it did before, since that zeroes large buffers.
 */
final class NettySlots implements Slots {
    private final ByteBufAllocator allocator;
    private final int[] byteSizes;
    private final ByteBuf[] buffers;

    NettySlots(ByteBufAllocator allocator, Workload workload, int slotCount) {
        this.allocator = allocator;
        byteSizes = LongStream.of(workload.byteSizes()).mapToInt(Math::toIntExact).toArray();
        buffers = new ByteBuf[slotCount];
    }

    /** Pooled, with a cache for this thread too; as it comes, only Netty's own threads have one. */
    static NettySlots cached(Workload workload, int slotCount) {
        return new NettySlots(new PooledByteBufAllocator(true, PooledByteBufAllocator.defaultNumHeapArena(),
                PooledByteBufAllocator.defaultNumDirectArena(), PooledByteBufAllocator.defaultPageSize(),
                PooledByteBufAllocator.defaultMaxOrder(), PooledByteBufAllocator.defaultSmallCacheSize(),
                PooledByteBufAllocator.defaultNormalCacheSize(), true), workload, slotCount);
    }

    static String version() {
        return Machine.versionOf(PooledByteBufAllocator.class);
    }

    @Override
    public void allocate(int slot, int request) {
        buffers[slot] = allocator.directBuffer(byteSizes[request], byteSizes[request]);
    }

    @Override
    public void free(int slot) {
        buffers[slot].release();
    }

    @Override
    public void close() {}
}
