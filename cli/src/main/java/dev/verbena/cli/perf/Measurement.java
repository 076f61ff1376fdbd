package dev.verbena.cli.perf;

import java.util.Map;

/**
 * Figures, and what they are worth.
 *
 * @param jitMs what JITs compiled for meanwhile, on all their threads: at the client those of both sides, at the server its own. 0 if
 *        the warm-up has done its work
 */
record Measurement(Figures figures, long jitMs) {
    Map<String, Object> toMap(boolean isGigabit) {
        Map<String, Object> map = figures.toMap(isGigabit);
        map.put("jitMs", jitMs);
        return map;
    }
}
