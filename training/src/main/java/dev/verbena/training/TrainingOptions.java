package dev.verbena.training;

/**
 * What to train and how.
 *
 * @param model {@code mlp} or {@code fcn5}
 * @param workers data-parallel workers, at least 1
 * @param servers parameter servers, at least 1; variables are spread over them round-robin
 * @param iterations synchronous mini-batches
 * @param batch images of one worker's mini-batch
 * @param seed of the initial weights, the order of the images and the split
 * @param learningRate of the stochastic gradient descent
 * @param copy whether senders copy into a registered buffer each time instead of tracing
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record TrainingOptions(String model, int workers, int servers, int iterations, int batch, long seed,
        float learningRate, boolean copy) {}
