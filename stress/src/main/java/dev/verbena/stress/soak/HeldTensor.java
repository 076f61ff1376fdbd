package dev.verbena.stress.soak;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;

/** A block that is a tensor, open. */
final class HeldTensor extends Holding {
    private static final int PINS_MAX = 3;
    /** An exception costs as much as many allocations. */
    private static final int REFUSALS_SHARE = 16;

    private final Tensor tensor;

    HeldTensor(TestedArena arena, Tensor tensor, long mark) {
        super(arena, tensor.address(), tensor.byteSize(), mark);
        this.tensor = tensor;
        SoakFailure.unless(tensor.memory().address() == address && tensor.memory().byteSize() == byteSize
                && tensor.slabOffset() >= 0
                && tensor.slabOffset() + byteSize <= tensor.slab().memory().byteSize(),
                () -> this + " has other memory: " + tensor.memory() + " in " + tensor.slab());
    }

    /** By itself, by its arena, or by an alias. */
    @Override
    void release(SplittableRandom random) {
        switch (random.nextInt(4)) {
            case 0 -> arena.arena.free(tensor);
            case 1 -> tensor.reshaped(Shape.of(1, byteSize)).close();
            default -> tensor.close();
        }
        if (random.nextInt(REFUSALS_SHARE) == 0) {
            checkClosed();
        }
    }

    /** Closes it while transfers use it: they keep it. */
    ClosedTensor closePinned(SplittableRandom random) {
        List<TensorLease> leases = Stream.generate(() -> TensorLease.of(tensor)).limit(1 + random.nextInt(PINS_MAX))
                .toList();
        tensor.close();
        checkClosed();
        return new ClosedTensor(this, tensor, leases);
    }

    private void checkClosed() {
        SoakFailure.unless(!tensor.isOpen(), () -> this + " was closed and is open");
        SoakFailure.unlessRefused(tensor::close, () -> "a second close of " + this);
        SoakFailure.unlessRefused(tensor::memory, () -> "use after close of " + this);
        SoakFailure.unlessRefused(() -> TensorLease.of(tensor), () -> "pin after close of " + this);
    }

    @Override
    void misuse() {
        TensorLease lease = TensorLease.of(tensor);
        lease.close();
        SoakFailure.unlessRefused(lease::close, () -> "a lease given up twice of " + this);
    }
}
