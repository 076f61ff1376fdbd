package dev.verbena.benchmarks;

import java.util.stream.LongStream;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/** Verbena's tensors of bytes; shapes exist before, as those of a program that runs more than one iteration. */
final class VerbenaTensorSlots implements Slots {
    private final TensorArena arena;
    private final Shape[] shapes;
    private final Tensor[] tensors;

    VerbenaTensorSlots(Workload workload, int slotCount) {
        arena = TensorArena.create(new OffHeapSlabSource(), workload.regionByteSize(), workload.regionByteSize());
        shapes = LongStream.of(workload.byteSizes()).mapToObj(Shape::of).toArray(Shape[]::new);
        tensors = new Tensor[slotCount];
    }

    @Override
    public void allocate(int slot, int request) {
        tensors[slot] = arena.allocate(ElementType.UINT8, shapes[request]);
    }

    @Override
    public void free(int slot) {
        tensors[slot].close();
    }

    @Override
    public void close() {
        arena.close();
    }
}
