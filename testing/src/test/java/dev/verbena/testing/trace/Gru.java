package dev.verbena.testing.trace;

/** The table's GRU (Cho et al., 2014): as {@link Lstm}, with three gates of three variables each: 11 variables, 27.92 MB. */
final class Gru implements Model {
    private static final long STATE = Model.floats(BATCH, Lstm.HIDDEN);

    @Override
    public void forward(Tape tape) {
        Value input = tape.constant(Model.floats(BATCH, Lstm.STEPS, Lstm.INPUT));
        Value hidden = tape.constant(STATE);
        for (int step = 0; step < Lstm.STEPS; step++) {
            Value update = Lstm.gate(tape, "update", input, hidden);
            Value reset = Lstm.gate(tape, "reset", input, hidden);
            Value kept = tape.apply(Layer.of(STATE), reset, hidden);
            Value candidate = Lstm.gate(tape, "candidate", input, kept);
            hidden = tape.apply(Layer.of(STATE).withWorkspace(STATE), update, candidate, hidden);
        }
        tape.loss(Model.dense(tape, "classifier", hidden, Lstm.HIDDEN, Lstm.CLASSES));
    }
}
