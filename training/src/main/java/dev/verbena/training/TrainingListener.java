package dev.verbena.training;

import dev.verbena.graph.run.SessionListener;

/**
 * Hears how training goes, and what it waits for.
 *
 * <p><b>Owner:</b> the caller. <b>Threading:</b> called on the training thread.
 */
@FunctionalInterface
public interface TrainingListener extends SessionListener {
    /** After iteration {@code iteration} (from 0) of this task; the loss is this worker's mean over its mini-batch. */
    void onIteration(int iteration, double loss, double imagesPerSecond);

    /** What is held out has been measured, by worker 0; the last time when all iterations are done. */
    default void onValidation(Validation validation) {}

    /**
     * This task cannot go on, for a reason of its own, a {@link TrainingException} or {@link CheckpointException}. Its session is still open: once that is
     * closed, its peers fail for it, and say so to this task.
     */
    default void onFailure(RuntimeException cause) {}
}
