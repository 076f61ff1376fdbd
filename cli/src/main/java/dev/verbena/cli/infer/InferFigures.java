package dev.verbena.cli.infer;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What inferences took, one way of running them.
 *
 * @param latencyNs of each, one after the other
 * @param totalNs of as many again, as many under way as there is room for
 */
record InferFigures(long[] latencyNs, long totalNs) {
    private static final double MICROSECOND_NS = 1e3;
    private static final double SECOND_NS = 1e9;

    double medianUs() {
        long[] sorted = latencyNs.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2] / MICROSECOND_NS;
    }

    double maxUs() {
        return Arrays.stream(latencyNs).max().orElseThrow() / MICROSECOND_NS;
    }

    double perSecond() {
        return latencyNs.length * SECOND_NS / totalNs;
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("latencyMedianUs", medianUs());
        map.put("latencyMaxUs", maxUs());
        map.put("inferencesPerSecond", perSecond());
        return map;
    }

    String toRow(String what) {
        return "%-22s %14.1f %14.1f %16.1f%n".formatted(what, medianUs(), maxUs(), perSecond());
    }
}
