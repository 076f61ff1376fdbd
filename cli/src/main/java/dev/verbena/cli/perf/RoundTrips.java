package dev.verbena.cli.perf;

import java.util.Arrays;

/**
 * Some round trips of a tensor that is answered by one.
 *
 * @param oneWay half of each
 * @param usable after which part of its time, of 1, a tensor's first bytes could be read, in half of all; 1 where it came whole
 */
record RoundTrips(LatencyFigures oneWay, double usable) {
    /**
     * @param instantsNs when each began, and when the last one ended
     * @param firstNs when the first bytes of each answer could be read; 0 where it came whole
     */
    static RoundTrips of(long byteSize, long[] instantsNs, long[] firstNs) {
        double[] parts = new double[firstNs.length];
        for (int i = 0; i < parts.length; i++) {
            double oneWayNs = (instantsNs[i + 1] - instantsNs[i]) / 2.0;
            parts[i] = firstNs[i] == 0 ? 1 : 1 - (instantsNs[i + 1] - firstNs[i]) / oneWayNs;
        }
        Arrays.sort(parts);
        return new RoundTrips(LatencyFigures.of(byteSize, instantsNs, 2), parts[parts.length / 2]);
    }
}
