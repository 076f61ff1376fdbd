package dev.verbena.testing.trace;

/** A model as its forward pass: it applies its layers and ends in one or more losses; {@link Tape} does the rest. */
interface Model {
    /** Mini-batch of every model here: within the range of 1 to 64 that the paper's evaluation uses (§5.2). */
    int BATCH = 16;

    void forward(Tape tape);

    /** Bytes of so many 32-bit floats. */
    static long floats(long... dimensions) {
        long byteSize = Float.BYTES;
        for (long dimension : dimensions) {
            byteSize = Math.multiplyExact(byteSize, dimension);
        }
        return byteSize;
    }

    /** A fully connected layer of a mini-batch: a weight, a bias, the activation in place. */
    static Value dense(Tape tape, String name, Value input, long inputs, long outputs) {
        return tape
                .apply(Layer.of(floats(BATCH, outputs)).with(tape.variable(name + ".weight", floats(inputs, outputs)),
                        tape.variable(name + ".bias", floats(outputs))), input);
    }

    /** What was dropped is kept as a mask of a float each. */
    static Value dropout(Tape tape, Value input) {
        return tape.apply(Layer.of(input.byteSize).saving(input.byteSize), input);
    }
}
