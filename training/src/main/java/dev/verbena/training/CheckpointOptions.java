package dev.verbena.training;

import java.nio.file.Path;

/**
 * Where and how often a training writes down what it has learned, and what it goes on from.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param directory is there; tasks on one host may share it. Each task that has variables keeps its last two checkpoints in it
 * @param every iterations between two, at least 1
 * @param resumeFrom the iteration of the checkpoints to go on from, the same for all tasks; 0 to begin at the beginning
 */
public record CheckpointOptions(Path directory, int every, int resumeFrom) {
    public CheckpointOptions {
        if (every < 1) {
            throw new IllegalArgumentException("checkpoint every=" + every + " iterations; give at least 1");
        }
        if (resumeFrom < 0) {
            throw new IllegalArgumentException("resumeFrom=" + resumeFrom + "; give the iteration of a checkpoint");
        }
    }
}
