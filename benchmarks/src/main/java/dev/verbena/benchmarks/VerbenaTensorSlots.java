package dev.verbena.benchmarks;

import java.util.stream.LongStream;

import dev.verbena.memory.ArenaOptions;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.testing.trace.UntouchedSlabSource;

/** Verbena's tensors of bytes; shapes exist before, as those of a program that runs more than one iteration. */
final class VerbenaTensorSlots implements Slots {
    private final TensorArena arena;
    private final Shape[] shapes;
    private final Tensor[] tensors;

    private final boolean isViewed;

    VerbenaTensorSlots(Workload workload, int slotCount) {
        this(workload, slotCount, ArenaOptions.defaults(), false);
    }

    /** Of each tensor a view is asked for, as of most that are computed with. */
    static Slots viewed(Workload workload, int slotCount, ArenaOptions options) {
        return new VerbenaTensorSlots(workload, slotCount, options, true);
    }

    private VerbenaTensorSlots(Workload workload, int slotCount, ArenaOptions options, boolean isViewed) {
        this.isViewed = isViewed;
        arena = TensorArena.create(new UntouchedSlabSource(), workload.regionByteSize(), workload.regionByteSize(),
                options);
        shapes = LongStream.of(workload.byteSizes()).mapToObj(Shape::of).toArray(Shape[]::new);
        tensors = new Tensor[slotCount];
    }

    @Override
    public void allocate(int slot, int request) {
        Tensor tensor = arena.allocate(ElementType.UINT8, shapes[request]);
        tensors[slot] = tensor;
        if (isViewed) {
            tensor.memory();
        }
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
