package dev.verbena.testing.trace;

/** FCN-5: three hidden layers of 4096 by 4096 between one of input and one of output; 204.47 MB with digits of 28 x 28, 10 classes. */
final class Fcn5 implements Model {
    private static final int INPUT = 28 * 28;
    private static final int WIDTH = 4096;
    private static final int CLASSES = 10;

    @Override
    public void forward(Tape tape) {
        Value value = Model.dense(tape, "input", tape.constant(Model.floats(BATCH, INPUT)), INPUT, WIDTH);
        for (int layer = 1; layer <= 3; layer++) {
            value = Model.dense(tape, "hidden" + layer, value, WIDTH, WIDTH);
        }
        tape.loss(Model.dense(tape, "output", value, WIDTH, CLASSES));
    }
}
