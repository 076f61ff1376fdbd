package dev.verbena.training;

/**
 * Hears how training goes.
 *
 * <p><b>Owner:</b> the caller. <b>Threading:</b> called on the training thread.
 */
@FunctionalInterface
public interface TrainingListener {
    /** After iteration {@code iteration} (from 0) of this task; the loss is this worker's mean over its mini-batch. */
    void onIteration(int iteration, double loss, double imagesPerSecond);
}
