package dev.verbena.benchmarks.transfer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import dev.verbena.benchmarks.report.Goal;
import dev.verbena.benchmarks.report.Spread;

/**
 * Figures of puts, of UCX's and of ours, in the order of the rounds, and what is said of them.
 *
 * <p><b>Owner:</b> {@link RawPuts}. <b>Threading:</b> confined to its thread.
 */
final class RawPutFigures {
    private static final String ROW = "%-20s%12s%12s%12s";

    /** Of one put. */
    private record Pair(List<Double> ucx, List<Double> verbena) {
        /** Ours to UCX's, of each round. */
        List<Double> ratios() {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < ucx.size(); i++) {
                ratios.add(verbena.get(i) / ucx.get(i));
            }
            return ratios;
        }
    }

    private final Map<Put, Pair> pairs = new LinkedHashMap<>();
    /** Null if nothing is. */
    private String leftOut;

    void add(Put put, double ucx, double verbena) {
        Pair pair = pairs.computeIfAbsent(put, _ -> new Pair(new ArrayList<>(), new ArrayList<>()));
        pair.ucx.add(ucx);
        pair.verbena.add(verbena);
    }

    /** @return the sentence that says so */
    String leaveOut(String reason) {
        leftOut = reason;
        return leftOutSentence();
    }

    private String leftOutSentence() {
        return "Raw puts are left out: " + leftOut;
    }

    /** Those that were measured. */
    Set<Put> puts() {
        return pairs.keySet();
    }

    Spread ucx(Put put) {
        return Spread.of(pairs.get(put).ucx);
    }

    Spread verbena(Put put) {
        return Spread.of(pairs.get(put).verbena);
    }

    List<Goal> goals() {
        return pairs.entrySet().stream().map(entry -> goal(entry.getKey(), entry.getValue().ratios())).toList();
    }

    private static Goal goal(Put put, List<Double> ratios) {
        return new Goal(String.format("%s of a raw put / UCX's, %s", put.title(), TransferFigures.name(put.byteSize())),
                Spread.of(ratios), put.target(), !put.isLatency(), Goal.verdict(put.isMet(Spread.median(ratios))));
    }

    /** The sentence that says why some or all are missing; null if none is. */
    String leftOut() {
        return leftOut == null ? null : leftOutSentence();
    }

    /** A line for each put. */
    List<String> table() {
        List<String> lines = new ArrayList<>();
        if (!pairs.isEmpty()) {
            lines.add("Raw puts from a process into another's shared memory");
            lines.add(row("", "UCX", "Verbena", ""));
        }
        pairs.forEach((put, pair) -> lines.add(row(put.title() + " " + TransferFigures.name(put.byteSize()),
                number(pair.ucx), number(pair.verbena), put.unit())));
        if (leftOut != null) {
            lines.add(leftOutSentence());
        }
        return lines;
    }

    private static String row(String title, String ucx, String verbena, String unit) {
        return String.format(Locale.ROOT, ROW, title, ucx, verbena, unit).stripTrailing();
    }

    private static String number(List<Double> values) {
        return String.format(Locale.ROOT, "%.3f", Spread.median(values));
    }

    /** A line for each put. */
    List<String> targets() {
        return pairs.entrySet().stream().map(entry -> sentence(entry.getKey(), entry.getValue().ratios())).toList();
    }

    private static String sentence(Put put, List<Double> ratios) {
        double ratio = Spread.median(ratios);
        return String.format(Locale.ROOT, "%s of a put of %s is %.2f times UCX's, target %s %.1f: %s%s", put.title(),
                TransferFigures.name(put.byteSize()), ratio, put.isLatency() ? "<=" : ">=", put.target(),
                put.isMet(ratio) ? "met" : "MISSED", TransferFigures.doubt(ratios));
    }

    /** For JSON. */
    Map<String, Object> toMap() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("leftOut", leftOut);
        all.put("figures", pairs.entrySet().stream().map(entry -> figure(entry.getKey(), entry.getValue())).toList());
        all.put("targets",
                pairs.entrySet().stream().map(entry -> target(entry.getKey(), entry.getValue().ratios())).toList());
        return all;
    }

    private static Map<String, Object> figure(Put put, Pair pair) {
        Map<String, Object> figure = names(put);
        figure.put("unit", put.unit());
        figure.put("ucx", Spread.median(pair.ucx));
        figure.put("verbena", Spread.median(pair.verbena));
        figure.put("ucxOfRounds", pair.ucx);
        figure.put("verbenaOfRounds", pair.verbena);
        return figure;
    }

    private static Map<String, Object> target(Put put, List<Double> ratios) {
        Map<String, Object> target = names(put);
        target.put(put.isLatency() ? "max" : "min", put.target());
        target.put("ratios", ratios);
        target.put("isMet", put.isMet(Spread.median(ratios)));
        return target;
    }

    private static Map<String, Object> names(Put put) {
        Map<String, Object> names = new LinkedHashMap<>();
        names.put("put", put.title());
        names.put("byteSize", put.byteSize());
        return names;
    }
}
