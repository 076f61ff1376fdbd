package dev.verbena.training;

import java.nio.file.Path;
import java.time.Duration;

/**
 * What to train and how.
 *
 * @param model such as {@code mlp}; an unknown one's refusal names all
 * @param workers data-parallel workers, at least 1
 * @param servers parameter servers, at least 1; variables are spread over them round-robin
 * @param iterations synchronous mini-batches
 * @param batch images or sequences of one worker's mini-batch
 * @param seed of the initial weights, the order of the examples and the split
 * @param learningRate of the optimizer
 * @param copy whether senders copy into a registered buffer each time instead of tracing
 * @param timeout the longest wait of a task for another, at set-up and within an iteration
 * @param optimizer how variables are changed by their gradients
 * @param checkpoints null for none
 * @param traces a directory in which each task keeps what its session's tracer has learned, and begins with what is there; null for none
 * @param validateEvery epochs between two measurements of what is held out, beside the last; 0 for the last alone
 * @param blasThreads that each process multiplies with, at least 1; losses are the same to the last bit with the same number
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record TrainingOptions(String model, int workers, int servers, int iterations, int batch, long seed,
        float learningRate, boolean copy, Duration timeout, Optimizer optimizer,
        CheckpointOptions checkpoints, Path traces, int validateEvery, int blasThreads) {
    /** By stochastic gradient descent, with the default timeout and all else as little as can be. */
    public TrainingOptions(String model, int workers, int servers, int iterations, int batch, long seed,
            float learningRate,
            boolean copy) {
        this(model, workers, servers, iterations, batch, seed, learningRate, copy,
                Duration.ofSeconds(TrainingDefaults.TIMEOUT_SECONDS), Optimizer.SGD, null, null, 0, 1);
    }

    /** The same, waiting as long for others. */
    public TrainingOptions withTimeout(Duration longest) {
        return new TrainingOptions(model, workers, servers, iterations, batch, seed, learningRate, copy, longest,
                optimizer, checkpoints, traces, validateEvery, blasThreads);
    }

    /** The same by another optimizer. */
    public TrainingOptions withOptimizer(Optimizer other) {
        return new TrainingOptions(model, workers, servers, iterations, batch, seed, learningRate, copy, timeout,
                other, checkpoints, traces, validateEvery, blasThreads);
    }

    /** The same with checkpoints. */
    public TrainingOptions withCheckpoints(CheckpointOptions written) {
        return new TrainingOptions(model, workers, servers, iterations, batch, seed, learningRate, copy, timeout,
                optimizer, written, traces, validateEvery, blasThreads);
    }

    /** The same, and what tracers learn is kept. */
    public TrainingOptions withTraces(Path directory) {
        return new TrainingOptions(model, workers, servers, iterations, batch, seed, learningRate, copy, timeout,
                optimizer, checkpoints, directory, validateEvery, blasThreads);
    }

    /** The same, and what is held out is measured behind each so many epochs. */
    public TrainingOptions withValidation(int epochs) {
        return new TrainingOptions(model, workers, servers, iterations, batch, seed, learningRate, copy, timeout,
                optimizer, checkpoints, traces, epochs, blasThreads);
    }

    /** The same with so many threads to multiply with. */
    public TrainingOptions withBlasThreads(int count) {
        return new TrainingOptions(model, workers, servers, iterations, batch, seed, learningRate, copy, timeout,
                optimizer, checkpoints, traces, validateEvery, count);
    }

    /** The first iteration to do, counted from 0. */
    int firstIteration() {
        return checkpoints == null ? 0 : checkpoints.resumeFrom();
    }
}
