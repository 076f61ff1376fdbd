package dev.verbena.benchmarks;

import dev.verbena.benchmarks.Figures.Key;

/**
 * What is to be reached: a figure is at most {@code limit}, or at most {@code limit} times another figure.
 *
 * @param against the other figure, or null
 * @param limit NaN if the row is for information
 */
record Target(Key key, Key against, double limit) {
    /** What came of it. */
    enum Verdict {
        MET("met"),
        MISSED("MISSED"),
        UNMEASURED("not measured"),
        INFORMATION("");

        final String word;

        Verdict(String word) {
            this.word = word;
        }
    }

    /** What is compared with the limit. */
    double value(Figures figures) {
        double value = figures.median(key);
        return against == null ? value : value / figures.median(against);
    }

    Verdict verdict(Figures figures) {
        double value = value(figures);
        if (Double.isNaN(value)) {
            return Verdict.UNMEASURED;
        }
        if (Double.isNaN(limit)) {
            return Verdict.INFORMATION;
        }
        return value <= limit ? Verdict.MET : Verdict.MISSED;
    }
}
