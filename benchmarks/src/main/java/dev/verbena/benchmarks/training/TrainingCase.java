package dev.verbena.benchmarks.training;

import java.util.List;

/**
 * What is trained: a model, by so many workers and one server.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record TrainingCase(String model, int workers) {
    /** The models of EuroSys'19 §5.2 that fit a small machine, each with iterations for some ten seconds of zero-copy on it. */
    private static final List<String> MODELS = List.of("mlp", "cnn", "fcn5", "lstm");
    private static final int[] ITERATIONS = {4000, 150, 60, 60};
    private static final int QUICK_ITERATIONS = 5;

    static List<String> models() {
        return MODELS;
    }

    int iterations(boolean isQuick) {
        return isQuick ? QUICK_ITERATIONS : ITERATIONS[MODELS.indexOf(model)];
    }

    @Override
    public String toString() {
        return model + ", " + workers + (workers == 1 ? " worker" : " workers");
    }
}
