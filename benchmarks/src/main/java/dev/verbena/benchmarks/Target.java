package dev.verbena.benchmarks;

import dev.verbena.benchmarks.Figures.Key;

/**
 * What is to be reached: a figure, or its ratio to another one, is at most {@code limit}; at least, where more is better.
 *
 * @param against the other figure, or null
 * @param limit NaN if the row is for information
 * @param isForThisMachine false if it has not the processors that this is about
 */
record Target(Key key, Key against, double limit, boolean isForThisMachine) {
    /** What came of it. */
    enum Verdict {
        MET("met"),
        MISSED("MISSED"),
        UNMEASURED("not measured"),
        /** See the words behind the table. */
        NOT_HERE("not here"),
        INFORMATION("");

        final String word;

        Verdict(String word) {
            this.word = word;
        }
    }

    Target(Key key, Key against, double limit) {
        this(key, against, limit, true);
    }

    /** What is compared with the limit. */
    double value(Figures figures) {
        double value = figures.median(key);
        return against == null ? value : value / figures.median(against);
    }

    Verdict verdict(Figures figures) {
        double value = value(figures);
        if (!isForThisMachine) {
            return Verdict.NOT_HERE;
        }
        if (Double.isNaN(value)) {
            return Verdict.UNMEASURED;
        }
        if (Double.isNaN(limit)) {
            return Verdict.INFORMATION;
        }
        boolean isMet = key.measure().isMoreBetter() ? value >= limit : value <= limit;
        return isMet ? Verdict.MET : Verdict.MISSED;
    }
}
