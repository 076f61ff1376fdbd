package dev.verbena.stress.soak;

import java.util.SplittableRandom;

import dev.verbena.memory.Tensor;

/** A block whose tensor is closed; only its pins keep it. */
final class ClosedTensor extends Holding {
    private final Tensor tensor;
    private final int pins;

    ClosedTensor(Holding open, Tensor tensor, int pins) {
        super(open);
        this.tensor = tensor;
        this.pins = pins;
    }

    @Override
    void release(SplittableRandom random) {
        SoakFailure.unless(tensor.pins() == pins, () -> this + " has pins=" + tensor.pins() + " instead of " + pins);
        for (int i = 0; i < pins; i++) {
            tensor.unpin();
        }
        SoakFailure.unlessRefused(tensor::unpin, () -> "one unpin too many of " + this);
    }

    @Override
    void misuse() {
        SoakFailure.unlessRefused(tensor::close, () -> "a second close of " + this);
    }
}
