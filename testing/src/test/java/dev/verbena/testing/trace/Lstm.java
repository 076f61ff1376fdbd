package dev.verbena.testing.trace;

/**
 * The table's LSTM (Hochreiter and Schmidhuber, 1997): a hidden vector of 1024 and 80 steps. Its 14 variables and 35.93 MB are those of
 * four gates of three variables each, an input of 1024, and a classifier of 1000 behind the last step; the table's GRU has the same
 * input and classifier, and both sizes together leave no other round numbers. That the classifier sees the last step only is our choice: it
 * changes no variable.
 */
final class Lstm implements Model {
    static final int HIDDEN = 1024;
    static final int INPUT = 1024;
    static final int CLASSES = 1000;
    static final int STEPS = 80;

    private static final long STATE = Model.floats(BATCH, HIDDEN);

    @Override
    public void forward(Tape tape) {
        Value input = tape.constant(Model.floats(BATCH, STEPS, INPUT));
        Value hidden = tape.constant(STATE);
        Value cell = tape.constant(STATE);
        for (int step = 0; step < STEPS; step++) {
            Value forget = gate(tape, "forget", input, hidden);
            Value admit = gate(tape, "admit", input, hidden);
            Value candidate = gate(tape, "candidate", input, hidden);
            Value output = gate(tape, "output", input, hidden);
            cell = tape.apply(Layer.of(STATE).withWorkspace(STATE), forget, cell, admit, candidate);
            Value squashed = tape.apply(Layer.of(STATE), cell);
            hidden = tape.apply(Layer.of(STATE), output, squashed);
        }
        tape.loss(Model.dense(tape, "classifier", hidden, HIDDEN, CLASSES));
    }

    /** Both products go into the same output, the second one added by the matrix product itself. */
    static Value gate(Tape tape, String name, Value input, Value hidden) {
        return tape.apply(Layer.of(STATE).with(tape.variable(name + ".input", Model.floats(INPUT, HIDDEN)),
                tape.variable(name + ".hidden", Model.floats(HIDDEN, HIDDEN)),
                tape.variable(name + ".bias", Model.floats(HIDDEN))), input, hidden);
    }
}
