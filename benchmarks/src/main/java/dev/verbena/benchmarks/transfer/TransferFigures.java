package dev.verbena.benchmarks.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.apache.arrow.flight.FlightClient;

import com.fasterxml.jackson.jr.ob.JSON;

import dev.verbena.benchmarks.Machine;
import dev.verbena.benchmarks.report.Goal;
import dev.verbena.benchmarks.report.Spread;
import io.aeron.Aeron;
import io.grpc.ManagedChannel;
import io.netty.channel.Channel;

/**
 * Microseconds of a tensor, in the order of the rounds, and what is said of them: medians, ratios of figures of the same round, and how far these lie
 * apart.
 *
 * <p><b>Owner:</b> {@link TransferBenchmark}. <b>Threading:</b> confined to its thread.
 */
final class TransferFigures {
    /** Ratios of a run that lie further apart, as a part of their median, say little. */
    static final double SPREAD_MAX = 0.15;

    static final String COPY_TITLE = "MemorySegment.copy";
    private static final long MIB = 1L << 20;

    private record Key(Way way, Work work, long byteSize) {}

    /**
     * How many times longer another way is to take, to have a tensor and see its end.
     *
     * @param slowerByteSize of the other's tensor; less than this one's where it does not go further
     */
    record Target(Way way, long byteSize, Way slower, long slowerByteSize, double min) {}

    private static final List<Target> TARGETS = Stream.concat(Stream.of(
            new Target(Way.STATIC, 4 << 10, Way.GRPC, 4 << 10, 100),
            new Target(Way.STATIC, MIB, Way.GRPC, MIB, 15),
            new Target(Way.STATIC, 128 * MIB, Way.GRPC, 128 * MIB, 25),
            new Target(Way.PLACED, 1024 * MIB, Way.GRPC, 128 * MIB, 10_000),
            new Target(Way.STATIC, MIB, Way.COPY, MIB, 1.8),
            new Target(Way.STATIC, 16 * MIB, Way.COPY, 16 * MIB, 1.8),
            new Target(Way.STATIC, 128 * MIB, Way.COPY, 128 * MIB, 1.8)), ofEverySize()).toList();

    private static Stream<Target> ofEverySize() {
        return Stream.of(Way.AERON, Way.NETTY).flatMap(slower -> TransferBenchmark.BYTE_SIZES.stream()
                .map(byteSize -> new Target(Way.STATIC, byteSize, slower, byteSize, 1.5)));
    }

    private final Route route;
    private final Map<Key, List<Double>> us = new LinkedHashMap<>();
    private final Map<Long, List<Double>> copyUs = new TreeMap<>();
    /** What is said of ways that do not work here, or from some size on. */
    private final Map<Way, String> leftOut = new EnumMap<>(Way.class);
    /** Null before they are measured. */
    private RawPutFigures puts;

    TransferFigures(Route route) {
        this.route = route;
    }

    Route route() {
        return route;
    }

    void add(Way way, Work work, long byteSize, double microseconds) {
        us.computeIfAbsent(new Key(way, work, byteSize), _ -> new ArrayList<>()).add(microseconds);
    }

    /** Of a copy within a process. */
    void addCopy(long byteSize, double microseconds) {
        copyUs.computeIfAbsent(byteSize, _ -> new ArrayList<>()).add(microseconds);
    }

    void add(RawPutFigures puts) {
        this.puts = puts;
    }

    /** @return the sentence that says so */
    String leaveOut(Way way, String reason) {
        leftOut.put(way, reason);
        return sentence(way);
    }

    private String sentence(Way way) {
        return way.label + " is left out: " + leftOut.get(way);
    }

    /** Of the tensors, from the smallest to the largest. */
    Set<Long> byteSizes() {
        return copyUs.keySet();
    }

    /** NaN if it was not measured. */
    Spread us(Way way, Work work, long byteSize) {
        return Spread.of(us.getOrDefault(new Key(way, work, byteSize), List.of()));
    }

    /** Of a copy within a process. */
    Spread copyUs(long byteSize) {
        return Spread.of(copyUs.getOrDefault(byteSize, List.of()));
    }

    /** How many times longer another way takes, round by round, than static placement. */
    Spread timesStatic(Way slower, long byteSize) {
        return Spread.of(ratios(new Target(Way.STATIC, byteSize, slower, byteSize, Double.NaN)));
    }

    /** A sentence for each way. */
    List<String> leftOut() {
        return leftOut.keySet().stream().map(this::sentence).toList();
    }

    /** Null before they are measured. */
    RawPutFigures puts() {
        return puts;
    }

    /** All of which both sides were measured. */
    List<Goal> goals() {
        Stream<Goal> ofTensors = measuredTargets().map(this::goal);
        return Stream.concat(ofTensors, puts == null ? Stream.of() : puts.goals().stream()).toList();
    }

    /** Of which both sides were measured; they are of processes on one machine. */
    private Stream<Target> measuredTargets() {
        return route.isBetweenHosts() ? Stream.of() : TARGETS.stream().filter(target -> !ratios(target).isEmpty());
    }

    private Goal goal(Target target) {
        List<Double> ratios = ratios(target);
        String what = target.byteSize == target.slowerByteSize
                ? String.format("%s / %s, %s", target.slower.label, target.way.label, name(target.byteSize))
                : String.format("%s, %s / %s, %s", target.slower.label, name(target.slowerByteSize), target.way.label,
                        name(target.byteSize));
        return new Goal(what, Spread.of(ratios), target.min, true,
                Goal.verdict(Spread.median(ratios) >= target.min));
    }

    static String name(long byteSize) {
        return byteSize >= 1 << 30 ? (byteSize >> 30) + " GiB"
                : byteSize >= MIB ? byteSize / MIB + " MiB" : byteSize >= 1 << 10 ? (byteSize >> 10) + " KiB"
                        : byteSize + " B";
    }

    /** Of each round; empty if one of them was not measured. */
    private List<Double> ratios(Target target) {
        List<Double> slower = us.getOrDefault(new Key(target.slower, Work.LAST, target.slowerByteSize), List.of());
        List<Double> own = us.getOrDefault(new Key(target.way, Work.LAST, target.byteSize), List.of());
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < Math.min(slower.size(), own.size()); i++) {
            ratios.add(slower.get(i) / own.get(i));
        }
        return ratios;
    }

    /** A block for each work: a line for each way, a column for each size; and one of ratios. */
    List<String> table() {
        List<String> lines = new ArrayList<>();
        lines.add("Tensors " + route.describe());
        for (Work work : Work.values()) {
            lines.add("Microseconds from sending a tensor until "
                    + (work == Work.LAST ? "its last element" : "its largest element, of all that were read,")
                    + " is back");
            lines.add(line("", byteSize -> name(byteSize)));
            for (Way way : Way.values()) {
                lines.add(line(way.label, byteSize -> cell(us.get(new Key(way, work, byteSize)))));
            }
            lines.add(line(COPY_TITLE, byteSize -> cell(copyUs.get(byteSize))));
        }
        lines.add("Times as long as by static placement, until the last element is back");
        for (Way way : Way.values()) {
            if (way != Way.STATIC) {
                lines.add(line(way.label, byteSize -> times(timesStatic(way, byteSize))));
            }
        }
        lines.addAll(leftOut());
        if (puts != null) {
            lines.addAll(puts.table());
        }
        return lines;
    }

    private interface Column {
        String of(long byteSize);
    }

    private String line(String title, Column column) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-20s", title));
        copyUs.keySet().forEach(byteSize -> line.append(String.format(Locale.ROOT, "%12s", column.of(byteSize))));
        return line.toString().stripTrailing();
    }

    private static String times(Spread ratios) {
        return ratios.isPositive() ? String.format(Locale.ROOT, "%.2f", ratios.median()) : "-";
    }

    private static String cell(List<Double> values) {
        return values == null ? "-" : String.format(Locale.ROOT, "%.2f", Spread.median(values));
    }

    /** A line for each target of which both sides were measured. */
    List<String> targets() {
        Stream<String> ofTensors = measuredTargets().map(this::sentence);
        return Stream.concat(ofTensors, puts == null ? Stream.of() : puts.targets().stream()).toList();
    }

    private String sentence(Target target) {
        List<Double> ratios = ratios(target);
        double ratio = Spread.median(ratios);
        return String.format(Locale.ROOT, "%s of %s takes %.1f times what %s of %s takes, target >= %.1f: %s%s",
                target.slower.label, name(target.slowerByteSize), ratio, target.way.label, name(target.byteSize),
                target.min, ratio >= target.min ? "met" : "MISSED", doubt(ratios));
    }

    /** What is said behind a ratio of which the rounds lie far apart. */
    static String doubt(List<Double> ratios) {
        double apart = Spread.of(ratios).apart();
        return apart <= SPREAD_MAX ? "" : String.format(Locale.ROOT, " (the rounds lie %.0f %% apart)", 100 * apart);
    }

    /** All figures of all rounds, and the machine. */
    String json() throws IOException {
        List<Map<String, Object>> figures = new ArrayList<>();
        us.forEach((key, values) -> figures.add(figure(key.way.label, key.work.name(), key.byteSize, values)));
        copyUs.forEach((byteSize, values) -> figures.add(figure(COPY_TITLE, Work.LAST.name(), byteSize, values)));
        List<Map<String, Object>> targets = new ArrayList<>();
        for (Target target : measuredTargets().toList()) {
            List<Double> ratios = ratios(target);
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("way", target.way.label);
            entry.put("byteSize", target.byteSize);
            entry.put("against", target.slower.label);
            entry.put("againstByteSize", target.slowerByteSize);
            entry.put("min", target.min);
            entry.put("ratios", ratios);
            entry.put("isMet", Spread.median(ratios) >= target.min);
            targets.add(entry);
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("receiver", route.receiver().name());
        all.put("sender", route.sender().name());
        all.put("fabric", route.fabric());
        all.put("machine", Machine.toMap());
        all.put("versions", versions());
        all.put("figures", figures);
        all.put("leftOut", leftOut.entrySet().stream().map(entry -> Map.of("way", entry.getKey().label, "reason",
                entry.getValue())).toList());
        all.put("targets", targets);
        if (puts != null) {
            all.put("rawPuts", puts.toMap());
        }
        return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(all);
    }

    static Map<String, String> versions() throws IOException {
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("grpc", Machine.versionOf(ManagedChannel.class));
        versions.put("arrow", Machine.versionOf(FlightClient.class));
        versions.put("aeron", Machine.versionOf(Aeron.class));
        versions.put("netty", Machine.versionOf(Channel.class));
        versions.put("jucx", UcxEnd.version());
        versions.put("ucx", UcxPerftest.version());
        return versions;
    }

    private static Map<String, Object> figure(String way, String work, long byteSize, List<Double> values) {
        Map<String, Object> figure = new LinkedHashMap<>();
        figure.put("way", way);
        figure.put("work", work);
        figure.put("byteSize", byteSize);
        figure.put("us", Spread.median(values));
        figure.put("usOfRounds", values);
        return figure;
    }
}
