package dev.verbena.benchmarks;

import java.lang.management.ManagementFactory;

import com.sun.management.ThreadMXBean;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/** How much Java heap a reshaped tensor takes: exactly one object, of 8 bytes more than a tensor has. */
final class TensorObject {
    private static final int COUNT = 1000;

    private TensorObject() {}

    static double byteSize() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Tensor[] reshaped = new Tensor[COUNT];
        Shape shape = Shape.of(8, 8);
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 1 << 20, 1 << 20);
                Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(64))) {
            reshaped[0] = tensor.reshaped(shape);
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < COUNT; i++) {
                reshaped[i] = tensor.reshaped(shape);
            }
            // The division drops what the two readings themselves allocate.
            return (threads.getCurrentThreadAllocatedBytes() - before) / COUNT;
        }
    }
}
