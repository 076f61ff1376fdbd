package dev.verbena.training;

import java.util.List;

import dev.verbena.graph.run.SessionStatistics;

/**
 * How one task's training ended.
 *
 * @param task such as {@code worker:0}
 * @param lossCurve this worker's loss per iteration; empty for a server
 * @param testAccuracy share of test images classified correctly; NaN where it was not measured (all but worker 0), and of a text
 * @param testPerplexity of a text's held-out part, the exponential of the mean loss; NaN likewise, and of images
 * @param imagesPerSecond this worker's images, or sequences, by the wall time of its iterations; 0 for a server
 * @param session its session's figures
 * @param registeredByteSize bytes registered with the device at the end
 * @param registrationNs time spent registering
 * @param hadTrace whether its tracer began with what an earlier start had learned
 * @param times where its time went
 * @param validations of worker 0, in their order, the last one that of {@code testAccuracy} or {@code testPerplexity}; none of others
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record TrainingResult(String task, double[] lossCurve, double testAccuracy, double testPerplexity,
        double imagesPerSecond, SessionStatistics session, long registeredByteSize, long registrationNs,
        boolean hadTrace, IterationTimes times, List<Validation> validations) {
    /** The same with what was measured; at least at the end. */
    TrainingResult with(List<Validation> measured) {
        Validation last = measured.getLast();
        return new TrainingResult(task, lossCurve, last.accuracy(), last.perplexity(), imagesPerSecond,
                session, registeredByteSize, registrationNs, hadTrace, times, List.copyOf(measured));
    }
}
