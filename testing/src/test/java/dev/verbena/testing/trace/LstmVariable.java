package dev.verbena.testing.trace;

import java.util.Random;

/**
 * A tagger of sentences: an LSTM with its four gates in one product, as cuDNN does it, whose mini-batches are as long as their longest
 * sentence, so that what spans all steps has another size in each iteration.
 */
final class LstmVariable implements Model {
    private static final int HIDDEN = 512;
    private static final int TAGS = 2000;
    private static final int STEPS_MIN = 5;
    private static final int STEPS_MAX = 45;

    private final Random random;

    LstmVariable(long seed) {
        random = new Random(seed);
    }

    @Override
    public void forward(Tape tape) {
        int steps = STEPS_MIN + random.nextInt(STEPS_MAX - STEPS_MIN + 1);
        long state = Model.floats(BATCH, HIDDEN);
        Value input = tape.constant(Model.floats(BATCH, steps, HIDDEN));
        Value hidden = tape.constant(state);
        Value cell = tape.constant(state);
        Value[] all = new Value[steps];
        for (int step = 0; step < steps; step++) {
            Value gates = tape.apply(Layer.of(4 * state).with(
                    tape.variable("weight", Model.floats(2 * HIDDEN, 4 * HIDDEN)),
                    tape.variable("bias", Model.floats(4 * HIDDEN))), input, hidden);
            cell = tape.apply(Layer.of(state), gates, cell);
            hidden = tape.apply(Layer.of(state), gates, cell);
            all[step] = hidden;
        }
        Value joined = tape.apply(Layer.of(Model.floats(BATCH, steps, HIDDEN)), all);
        tape.loss(tape.apply(Layer.of(Model.floats(BATCH, steps, TAGS)).with(
                tape.variable("tags.weight", Model.floats(HIDDEN, TAGS)),
                tape.variable("tags.bias", Model.floats(TAGS))), joined));
    }
}
