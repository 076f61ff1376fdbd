package dev.verbena.cli.perf;

import java.util.Map;

/** What one measurement has shown. */
sealed interface Figures permits BandwidthFigures, LatencyFigures {
    /** A line of perftest's table. */
    String row(boolean isGigabit);

    /** With perftest's JSON names. */
    Map<String, Object> toMap(boolean isGigabit);
}
