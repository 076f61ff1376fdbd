package dev.verbena.benchmarks;

import java.util.stream.LongStream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Netty's direct buffers, with what makes them fast from benchmarks/run: caches for every thread, no leak detection. Its access to memory
 * is its default; on Java 25 that is foreign functions, and measured faster here than the older one, which zeroes large buffers.
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
