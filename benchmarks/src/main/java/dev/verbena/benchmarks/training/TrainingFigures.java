package dev.verbena.benchmarks.training;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.jr.ob.JSON;

import dev.verbena.benchmarks.Machine;
import dev.verbena.benchmarks.report.Goal;
import dev.verbena.benchmarks.report.Spread;
import io.grpc.ManagedChannel;

/**
 * What trainings came to, in the order of the rounds.
 *
 * <p><b>Owner:</b> {@link TrainingBenchmark}. <b>Threading:</b> confined to its thread.
 */
final class TrainingFigures {
    private static final String GOAL_MODEL = "fcn5";
    private static final double GOAL = 3;

    private final Map<TrainingCase, Map<Transport, List<TrainingRun>>> runs = new LinkedHashMap<>();

    /** @throws IllegalStateException if it learned anything else than the runs before */
    void add(TrainingCase trained, Transport transport, TrainingRun run) {
        Map<Transport, List<TrainingRun>> ofCase = runs.computeIfAbsent(trained, _ -> new EnumMap<>(Transport.class));
        ofCase.values().stream().flatMap(List::stream).filter(other -> !other.losses().equals(run.losses()))
                .findFirst().ifPresent(_ -> {
                    throw new IllegalStateException(trained + " by " + transport.label
                            + " has other losses than another run of the same: a tensor was changed on its way");
                });
        ofCase.computeIfAbsent(transport, _ -> new ArrayList<>()).add(run);
    }

    Set<TrainingCase> cases() {
        return runs.keySet();
    }

    List<TrainingRun> runs(TrainingCase trained, Transport transport) {
        return runs.get(trained).get(transport);
    }

    Spread examplesPerSecond(TrainingCase trained, Transport transport) {
        return Spread.of(runs(trained, transport).stream().map(TrainingRun::examplesPerSecond).toList());
    }

    /** How many times as many examples a second zero-copy learns from; of runs of the same round. */
    Spread timesFaster(TrainingCase trained, Transport slower) {
        List<TrainingRun> own = runs(trained, Transport.ZERO_COPY);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < own.size(); i++) {
            ratios.add(own.get(i).examplesPerSecond() / runs(trained, slower).get(i).examplesPerSecond());
        }
        return Spread.of(ratios);
    }

    List<Goal> goals() {
        return runs.keySet().stream().filter(trained -> trained.model().equals(GOAL_MODEL)).map(trained -> {
            Spread times = timesFaster(trained, Transport.GRPC);
            return new Goal(trained + ": zerocopy / grpc", times, GOAL, true, Goal.verdict(times.median() >= GOAL));
        }).toList();
    }

    List<String> table() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(Locale.ROOT, "%-18s%12s%12s%12s%16s%16s", "images a second", "zerocopy", "copy", "grpc",
                "to copy", "to grpc"));
        for (TrainingCase trained : runs.keySet()) {
            StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-18s", trained));
            for (Transport transport : Transport.values()) {
                line.append(String.format(Locale.ROOT, "%,12.0f", examplesPerSecond(trained, transport).median()));
            }
            for (Transport slower : List.of(Transport.COPY, Transport.GRPC)) {
                Spread times = timesFaster(trained, slower);
                line.append(String.format(Locale.ROOT, "%8.2f ±%3.0f %%", times.median(), 50 * times.apart()));
            }
            lines.add(line.toString());
        }
        goals().forEach(goal -> lines.add(String.format(Locale.ROOT, "%s is %.1f, target >= %.0f: %s", goal.what(),
                goal.value().median(), goal.limit(), goal.verdict())));
        return lines;
    }

    static Map<String, String> versions() {
        return Map.of("grpc", String.valueOf(Machine.versionOf(ManagedChannel.class)));
    }

    /** All runs, and the machine. */
    String json() throws IOException {
        List<Map<String, Object>> all = new ArrayList<>();
        runs.forEach((trained, ofCase) -> ofCase.forEach((transport, list) -> {
            Map<String, Object> figure = new LinkedHashMap<>();
            figure.put("model", trained.model());
            figure.put("workers", trained.workers());
            figure.put("transport", transport.label);
            figure.put("examplesPerSecond", list.stream().map(TrainingRun::examplesPerSecond).toList());
            figure.put("copiesAfterTheFirstIteration", list.getFirst().copies());
            figure.put("lossCurve", list.getFirst().losses());
            all.add(figure);
        }));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("machine", Machine.toMap());
        json.put("versions", versions());
        json.put("figures", all);
        return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(json);
    }
}
