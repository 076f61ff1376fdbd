package dev.verbena.training;

import java.util.Arrays;
import java.util.function.LongSupplier;

import dev.verbena.graph.run.RunTimes;

/**
 * Writes down where the time of each iteration went.
 *
 * <p><b>Owner:</b> the loop over the iterations. <b>Threading:</b> confined to it.
 */
final class IterationTimer {
    /** As many as a drawing can show. */
    private static final int POINTS_MAX = 500;

    private final LongSupplier clockNs;
    private final long[] computeNs;
    private final long[] copyNs;
    private final long[] waitNs;
    private int count;
    private long sinceNs;

    IterationTimer(int iterations, LongSupplier clockNs) {
        this.clockNs = clockNs;
        this.computeNs = new long[iterations];
        this.copyNs = new long[iterations];
        this.waitNs = new long[iterations];
    }

    /** The coming iteration begins; what was done since the last one ended is part of none. */
    void begin() {
        sinceNs = clockNs.getAsLong();
    }

    /** It is over, and the next one begins. @param run its step */
    void end(RunTimes run) {
        long nowNs = clockNs.getAsLong();
        copyNs[count] = run.copyNs();
        waitNs[count] = run.waitNs();
        computeNs[count] = nowNs - sinceNs - run.copyNs() - run.waitNs();
        count++;
        sinceNs = nowNs;
    }

    IterationTimes times() {
        int perPoint = Math.max(1, (count + POINTS_MAX - 1) / POINTS_MAX);
        return new IterationTimes(count, share(computeNs, perPoint), share(copyNs, perPoint), share(waitNs, perPoint),
                perPoint);
    }

    private IterationTimes.Share share(long[] all, int perPoint) {
        long[] sorted = Arrays.copyOf(all, count);
        Arrays.sort(sorted);
        long[] points = new long[(count + perPoint - 1) / perPoint];
        for (int i = 0; i < points.length; i++) {
            points[i] = Math.round(Arrays.stream(all, i * perPoint, Math.min(count, (i + 1) * perPoint)).average()
                    .orElseThrow());
        }
        return new IterationTimes.Share(Arrays.stream(sorted).sum(), percentile(sorted, 50), percentile(sorted, 99),
                percentile(sorted, 100), points);
    }

    /** The least that so many of a hundred do not exceed. */
    private static long percentile(long[] sorted, int percent) {
        return sorted.length == 0 ? 0 : sorted[(int) ((sorted.length * (long) percent + 99) / 100) - 1];
    }
}
