package dev.verbena.training;

import java.time.Duration;

import dev.verbena.training.model.Model;

/**
 * What is trained, and how, where the user says nothing.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> constants.
 */
public final class TrainingDefaults {
    public static final String MODEL = "mlp";
    public static final int WORKERS = 2;
    public static final int SERVERS = 1;
    public static final int EPOCHS = 5;
    /** Images of one worker's mini-batch. */
    public static final int BATCH = 32;
    public static final long SEED = 1;
    /** Of OpenBLAS, in each process. */
    public static final int BLAS_THREADS = 1;
    /** How long a task waits for others. */
    public static final int TIMEOUT_SECONDS = 60;
    static final Duration TIMEOUT_MAX = Duration.ofDays(30);

    private TrainingDefaults() {}

    /** What suits a model and is drawn by the program. @throws IllegalArgumentException if there is no such model */
    public static Dataset data(String model, long seed) {
        return Model.named(model).synthetic(seed);
    }

    /** The optimizer that suits a model. @throws IllegalArgumentException if there is no such model */
    public static Optimizer optimizer(String model) {
        return Model.named(model).optimizer();
    }

    /**
     * The learning rate that suits a model and an optimizer: the wider the model, the smaller.
     *
     * @throws IllegalArgumentException if there is no such model
     */
    public static float learningRate(String model, Optimizer optimizer) {
        Model named = Model.named(model);
        return optimizer == named.optimizer() ? named.learningRate() : optimizer.learningRate();
    }
}
