package dev.verbena.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import com.fasterxml.jackson.jr.ob.JSON;

import dev.verbena.benchmarks.report.Goal;

/** The figures beside the targets, as a table for people and as JSON. */
final class Report {
    private static final String NOT_HERE = "Not here: needs as many processors as threads; this machine has %d. That threads do"
            + " not wait for each other is counted on any\nmachine, in locks a pair, by SteadyStateTest of the allocator.\n";
    private static final String NO_MIMALLOC = "mimalloc is not measured: it needs a C compiler and the library, for example"
            + " apt-get install gcc libmimalloc-dev.\n";
    private static final String ROW = "%-27s %-20s %-16s %10s  %-16s %10s %8s %8s  %s%n";

    private final Pace pace;
    private final int processors;
    private final Figures figures;
    private final List<Target> targets;
    private final Map<Figures.Key, List<String>> explanations;
    private final Map<String, String> peers;

    Report(Pace pace, int processors, Figures figures, List<Target> targets,
            Map<Figures.Key, List<String>> explanations,
            Map<String, String> peers) {
        this.pace = pace;
        this.processors = processors;
        this.figures = figures;
        this.targets = targets;
        this.explanations = explanations;
        this.peers = peers;
    }

    String table() {
        StringBuilder table = new StringBuilder(String.format(Locale.ROOT, ROW, "measure", "workload", "subject", "",
                "against", "", "value", "target", ""));
        for (Target target : targets) {
            Figures.Key key = target.key();
            String unit = key.measure().unit;
            table.append(String.format(Locale.ROOT, ROW, key.measure().title, key.workload(), key.subject(),
                    withUnit(figures.median(key), unit), against(target),
                    target.against() == null ? "" : withUnit(figures.median(target.against()), unit),
                    target.against() == null ? "" : number(target.value(figures)), limit(target.limit()),
                    verdict(target).word));
        }
        notes().forEach(table::append);
        if (targets.stream().anyMatch(target -> target.key().measure().part == Part.THREADS)) {
            table.append(new ThreadTable(figures, processors).text());
        }
        explanations.forEach((key, lines) -> {
            table.append(String.format(Locale.ROOT, "%nMISSED: %s, %s, %s%n", key.measure().title, key.workload(),
                    key.subject()));
            lines.forEach(line -> table.append("    ").append(line).append('\n'));
        });
        if (pace.isQuick()) {
            table.append(
                    "A quick run shows that everything runs, not how fast it is: its times mean nothing.\n");
        }
        return table.toString();
    }

    /** What could not be measured here, and why. */
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (targets.stream().anyMatch(target -> target.verdict(figures) == Target.Verdict.NOT_HERE)) {
            notes.add(String.format(Locale.ROOT, NOT_HERE, processors));
        }
        if (peers.get("mimalloc").equals(MimallocPeer.NO_VERSION)) {
            notes.add(NO_MIMALLOC);
        }
        return notes;
    }

    List<Goal> goals() {
        return targets.stream().map(target -> new Goal(comparison(target), target.spread(figures), target.limit(),
                target.key().measure().isMoreBetter(), verdict(target).word)).toList();
    }

    private static String comparison(Target target) {
        Figures.Key key = target.key();
        Figures.Key against = target.against();
        String title = key.measure().title;
        if (against != null && against.subject().equals(key.subject())) {
            return title + ": " + key.workload() + " / " + against.workload();
        }
        return title + (key.workload().equals(Targets.RANDOM) ? "" : ", " + key.workload()) + ": " + key.subject()
                + (against == null ? "" : " / " + against.subject());
    }

    boolean isQuick() {
        return pace.isQuick();
    }

    int processors() {
        return processors;
    }

    Figures figures() {
        return figures;
    }

    Map<Figures.Key, List<String>> explanations() {
        return explanations;
    }

    Map<String, String> peers() {
        return peers;
    }

    /** Whom a figure is compared with: somebody else, or the same with another number of threads. */
    private static String against(Target target) {
        if (target.against() == null) {
            return "";
        }
        return target.against().workload().equals(target.key().workload()) ? target.against().subject()
                : target.against().workload();
    }

    String json() throws IOException {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("benchmark", "allocator");
        report.put("isQuick", pace.isQuick());
        report.put("rounds", pace.rounds());
        report.put("machine", Machine.toMap());
        report.put("peers", peers);
        report.put("figures", figures.rounds().entrySet().stream().map(entry -> figure(entry.getKey(),
                entry.getValue())).toList());
        report.put("targets", targets.stream().map(this::target).toList());
        report.put("explanations", explanations.entrySet().stream().map(entry -> {
            Map<String, Object> explanation = names(entry.getKey());
            explanation.put("lines", entry.getValue());
            return explanation;
        }).toList());
        return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(report) + "\n";
    }

    private Map<String, Object> figure(Figures.Key key, List<Double> rounds) {
        Map<String, Object> figure = names(key);
        figure.put("unit", key.measure().unit);
        figure.put("median", nullable(figures.median(key)));
        figure.put("rounds", new ArrayList<>(rounds));
        return figure;
    }

    private Map<String, Object> target(Target target) {
        Map<String, Object> row = names(target.key());
        row.put("against", target.against() == null ? null : target.against().subject());
        row.put("againstWorkload", target.against() == null ? null : target.against().workload());
        row.put("value", nullable(target.value(figures)));
        row.put("target", nullable(target.limit()));
        row.put("verdict", verdict(target).name().toLowerCase(Locale.ROOT));
        return row;
    }

    /** Regions are no matter of time; everything else would be a lottery in a quick run. */
    private Target.Verdict verdict(Target target) {
        Target.Verdict verdict = target.verdict(figures);
        boolean isSure = !pace.isQuick() || target.key().measure() == Measure.REGION
                || verdict == Target.Verdict.UNMEASURED || verdict == Target.Verdict.NOT_HERE;
        return isSure ? verdict : Target.Verdict.INFORMATION;
    }

    private static Map<String, Object> names(Figures.Key key) {
        Map<String, Object> names = new LinkedHashMap<>();
        names.put("measure", key.measure().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        names.put("workload", key.workload());
        names.put("subject", key.subject());
        return names;
    }

    private static String withUnit(double value, String unit) {
        return Double.isNaN(value) ? "-" : number(value) + (unit.isEmpty() ? "" : " " + unit);
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "" : String.format(Locale.ROOT, value >= 1000 ? "%.0f" : "%.3f", value);
    }

    private static String limit(double limit) {
        return Double.isNaN(limit) ? "" : String.format(Locale.ROOT, limit >= 1000 ? "%.0f" : "%.2f", limit);
    }

    /** JSON has no NaN: an unmeasured number is null, and what is null is left out. */
    private static Double nullable(double value) {
        return Double.isFinite(value) ? value : null;
    }
}
