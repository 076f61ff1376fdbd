package dev.verbena.testing.trace;

/** A tensor of a training step, and the gradient that those who use it contribute to; see {@link Tape}. */
final class Value {
    static final int NONE = -1;

    final int id;
    final long byteSize;
    /** Whether anybody wants to know: not for mini-batches and initial states. */
    final boolean isDifferentiated;
    int gradientId = NONE;

    Value(int id, long byteSize, boolean isDifferentiated) {
        this.id = id;
        this.byteSize = byteSize;
        this.isDifferentiated = isDifferentiated;
    }
}
