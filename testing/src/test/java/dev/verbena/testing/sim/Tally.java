package dev.verbena.testing.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What has happened in runs, and how often: tests that let things happen at random show by it that they did.
 *
 * <p><b>Owner:</b> the test. <b>Threading:</b> one thread.
 */
final class Tally {
    /** Of these a run can be told that it had them; the others are lengths and limits. */
    private static final List<Fault> FAULTS = List.of(Fault.LATE_ONE_IN, Fault.PIECE_COUNT_MAX, Fault.RELAXED_ORDER,
            Fault.SILENT_WRITES, Fault.STRAGGLING_PIECES, Fault.EMPTY_POLL_ONE_IN, Fault.POLL_COUNT_MAX,
            Fault.MISSED_RECEIVE_ONE_IN, Fault.PARTIAL_POST_ONE_IN, Fault.COMPLETION_COUNT_MAX,
            Fault.FAILED_REGISTRATION_ONE_IN);

    private final Map<String, Long> counts = new TreeMap<>();

    void add(String what) {
        add(what, 1);
    }

    void add(String what, long count) {
        counts.merge(what, count, Long::sum);
    }

    /** What the plan let happen. */
    void add(Simulation simulation) {
        FAULTS.forEach(fault -> add(fault.text(), simulation.countOf(fault)));
        for (Incident.Kind kind : Incident.Kind.values()) {
            add(kind.toString(), simulation.countOf(kind));
        }
    }

    /** What has never happened, of that and of all that was counted. */
    List<String> missing(List<String> wanted) {
        List<String> missing = new ArrayList<>(wanted);
        counts.forEach((what, count) -> {
            if (count > 0) {
                missing.remove(what);
            } else if (!missing.contains(what)) {
                missing.add(what);
            }
        });
        return missing;
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
