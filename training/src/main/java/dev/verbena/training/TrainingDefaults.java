package dev.verbena.training;

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

    private TrainingDefaults() {}

    /**
     * The learning rate that suits a model: the wider, the smaller.
     *
     * @throws IllegalArgumentException if there is no such model
     */
    public static float learningRate(String model) {
        return Model.named(model).learningRate();
    }
}
