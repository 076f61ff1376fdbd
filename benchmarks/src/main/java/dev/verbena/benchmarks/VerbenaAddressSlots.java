package dev.verbena.benchmarks;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.testing.trace.UntouchedSlabSource;

/** Verbena's memory by address, without an object for it. Nothing is written to it, so that it need not be there. */
final class VerbenaAddressSlots implements Slots {
    /** Of holes, and of what is live between them. */
    private static final long HOLE_BYTE_SIZE = 2L * 1024 * 1024;
    private static final Shape NO_HOLE = Shape.of(2 * HOLE_BYTE_SIZE);

    private final TensorArena arena;
    private final long[] byteSizes;
    private final long[] addresses;
    private final List<Tensor> posts = new ArrayList<>();
    private Shape full;

    VerbenaAddressSlots(Workload workload, int slotCount) {
        arena = TensorArena.create(new UntouchedSlabSource(), workload.regionByteSize(), workload.regionByteSize());
        byteSizes = workload.byteSizes();
        addresses = new long[slotCount];
    }

    /** All of it is holes of one size, with blocks between that stay: the slots are in these holes. */
    static VerbenaAddressSlots withHoles(Workload workload, int slotCount) {
        VerbenaAddressSlots slots = new VerbenaAddressSlots(workload, slotCount);
        List<Tensor> posts = slots.posts;
        Shape hole = Shape.of(HOLE_BYTE_SIZE);
        for (Tensor post = slots.tryAllocate(hole); post != null; post = slots.tryAllocate(hole)) {
            posts.add(post);
        }
        posts.sort(Comparator.comparingLong(post -> post.memory().address()));
        for (int i = posts.size() - 1; i >= 0; i -= 2) {
            posts.remove(i).close();
        }
        slots.full = Shape.of(workload.regionByteSize() - posts.size() * HOLE_BYTE_SIZE + 1);
        return slots;
    }

    /** More than is free of one with holes. */
    Shape full() {
        return full;
    }

    /** Less than is free of one with holes, but more than any hole. */
    Shape noHole() {
        return NO_HOLE;
    }

    void askInVain(Shape shape) {
        if (tryAllocate(shape) != null) {
            throw new IllegalStateException("a request of shape=" + shape + " was not refused");
        }
    }

    private Tensor tryAllocate(Shape shape) {
        return arena.tryAllocate(ElementType.UINT8, shape);
    }

    @Override
    public void allocate(int slot, int request) {
        addresses[slot] = arena.allocateAddress(byteSizes[request]);
    }

    @Override
    public void free(int slot) {
        arena.freeAddress(addresses[slot]);
    }

    @Override
    public void close() {
        posts.forEach(Tensor::close);
        arena.close();
    }
}
