package dev.verbena.training;

import dev.verbena.graph.SessionStatistics;

/**
 * How one task's training ended.
 *
 * @param task such as {@code worker:0}
 * @param lossCurve this worker's loss per iteration; empty for a server
 * @param testAccuracy share of test images classified correctly; NaN where it was not measured (all but worker 0)
 * @param imagesPerSecond this worker's images by the wall time of its iterations; 0 for a server
 * @param session its session's figures
 * @param registeredByteSize bytes registered with the device at the end
 * @param registrationNs time spent registering
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record TrainingResult(String task, double[] lossCurve, double testAccuracy, double imagesPerSecond,
        SessionStatistics session, long registeredByteSize, long registrationNs) {}
