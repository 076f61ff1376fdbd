package dev.verbena.benchmarks;

import java.util.Locale;

/** What can be measured without the rest. */
enum Part {
    PAIRS,
    HAND_OVER,
    LARGE_RUNS,
    PAUSES,
    THREADS,
    REFUSALS,
    VIRTUAL,
    REGIONS;

    /** As on the command line. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
