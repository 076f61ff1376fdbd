package dev.verbena.training;

/**
 * Where a task's time went in its iterations, on the thread that trains: it computed, copied, or waited. The three together are the time from
 * the end of one iteration to that of the next.
 *
 * @param iterations how many
 * @param computing all that is neither of the others: kernels, mini-batches, checkpoints
 * @param copying tensors brought across, as far as this thread did it; {@link dev.verbena.graph.run.RunTimes#copyNs}
 * @param waiting nothing could go on; {@link dev.verbena.graph.run.RunTimes#waitNs}
 * @param iterationsPerPoint how many iterations a point is the mean of; the last one of those that are left
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record IterationTimes(int iterations, Share computing, Share copying, Share waiting, int iterationsPerPoint) {
    /**
     * Of all iterations; nanoseconds.
     *
     * @param p50Ns the median
     * @param p99Ns what a hundredth of them exceeds
     * @param pointsNs means, in the order of the iterations
     *
     * <p><b>Owner:</b> none. <b>Threading:</b> not changed by anybody.
     */
    public record Share(long totalNs, long p50Ns, long p99Ns, long maxNs, long[] pointsNs) {}
}
