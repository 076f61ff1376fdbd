package dev.verbena.stress.soak;

import java.util.List;
import java.util.SplittableRandom;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;

/** A block whose tensor is closed; only its pins keep it. */
final class ClosedTensor extends Holding {
    private final Tensor tensor;
    private final List<TensorLease> leases;

    ClosedTensor(Holding open, Tensor tensor, List<TensorLease> leases) {
        super(open);
        this.tensor = tensor;
        this.leases = leases;
    }

    @Override
    void release(SplittableRandom random) {
        SoakFailure.unless(tensor.pins() == leases.size(),
                () -> this + " has pins=" + tensor.pins() + " instead of " + leases.size());
        leases.forEach(TensorLease::close);
        leases.forEach(lease -> SoakFailure.unlessRefused(lease::close, () -> "a lease given up twice of " + this));
    }

    @Override
    void misuse() {
        SoakFailure.unlessRefused(tensor::close, () -> "a second close of " + this);
    }
}
