package dev.verbena.benchmarks;

import java.util.List;
import java.util.stream.IntStream;

import dev.verbena.benchmarks.Figures.Key;
import dev.verbena.benchmarks.report.Goal;
import dev.verbena.benchmarks.report.Spread;

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
        MET(Goal.verdict(true)),
        MISSED(Goal.verdict(false)),
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

    /** With the least and the largest of the rounds; what was measured once is compared with each. */
    Spread spread(Figures figures) {
        List<Double> own = figures.rounds().getOrDefault(key, List.of());
        List<Double> other = figures.rounds().getOrDefault(against, List.of());
        if (against == null || own.isEmpty() || other.isEmpty()) {
            return against == null ? figures.spread(key) : Spread.of(List.of());
        }
        Spread ratios = Spread.of(IntStream.range(0, own.size())
                .mapToObj(round -> own.get(round) / other.get(Math.min(round, other.size() - 1))).toList());
        return new Spread(ratios.low(), value(figures), ratios.high());
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
