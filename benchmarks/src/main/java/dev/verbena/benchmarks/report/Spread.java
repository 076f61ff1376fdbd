package dev.verbena.benchmarks.report;

import java.util.Collections;
import java.util.List;

/**
 * What the rounds of a measurement came to: their middle one, and the least and the largest.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Spread(double low, double median, double high) {

    /** Of no rounds all are NaN. */
    public static Spread of(List<Double> rounds) {
        return rounds.isEmpty() ? new Spread(Double.NaN, Double.NaN, Double.NaN)
                : new Spread(Collections.min(rounds), median(rounds), Collections.max(rounds));
    }

    /** NaN if there is none. */
    public static double median(List<Double> values) {
        if (values.isEmpty()) {
            return Double.NaN;
        }
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** In another unit. */
    public Spread times(double factor) {
        return new Spread(low * factor, median * factor, high * factor);
    }

    /** How far the rounds lie apart, as a part of their median. */
    public double apart() {
        return (high - low) / median;
    }

    /** Whether it can be drawn along a logarithmic axis. */
    public boolean isPositive() {
        return low > 0 && Double.isFinite(high);
    }
}
