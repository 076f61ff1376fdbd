package dev.verbena.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.benchmarks.report.Spread;

/** What came out: for each measure, workload and subject a number per round, and the middle one of them. */
final class Figures {
    /** @param workload a trace's name, or "random" for random replacement */
    record Key(Measure measure, String workload, String subject) {}

    private final Map<Key, List<Double>> rounds = new LinkedHashMap<>();

    void add(Key key, double value) {
        rounds.computeIfAbsent(key, _ -> new ArrayList<>()).add(value);
    }

    /** The median over the rounds; NaN if there is none. */
    double median(Key key) {
        return Spread.median(rounds.getOrDefault(key, List.of()));
    }

    Spread spread(Key key) {
        return Spread.of(rounds.getOrDefault(key, List.of()));
    }

    Map<Key, List<Double>> rounds() {
        return rounds;
    }
}
