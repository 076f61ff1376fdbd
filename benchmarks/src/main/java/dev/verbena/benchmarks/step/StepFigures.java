package dev.verbena.benchmarks.step;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleBiFunction;

import com.fasterxml.jackson.jr.ob.JSON;

import dev.verbena.benchmarks.Machine;
import dev.verbena.benchmarks.report.Goal;
import dev.verbena.benchmarks.report.Spread;
import dev.verbena.benchmarks.training.Transport;
import io.grpc.ManagedChannel;

/**
 * Milliseconds of steps, in the order of the rounds.
 *
 * <p><b>Owner:</b> {@link StepBenchmark}. <b>Threading:</b> confined to its thread.
 */
final class StepFigures {
    private static final String GOAL_MODEL = "vgg16";
    /** EuroSys'19 §5.2: of VGGNet-16 over gRPC on TCP. */
    private static final double GOAL = 25;
    private static final String HEADER = String.format(Locale.ROOT, "%-22s%8s%11s%11s%11s%17s%17s%20s", "ms a step",
            "MiB", "zerocopy", "copy", "grpc", "copy / zerocopy", "grpc / zerocopy", "the same computed");

    private final Map<StepCase, Map<Transport, List<Double>>> millis = new LinkedHashMap<>();

    void add(StepCase measured, Transport transport, double step) {
        millis.computeIfAbsent(measured, _ -> new EnumMap<>(Transport.class))
                .computeIfAbsent(transport, _ -> new ArrayList<>()).add(step);
    }

    Set<StepCase> cases() {
        return millis.keySet();
    }

    /** All NaN if it was left out. */
    Spread step(StepCase measured, Transport transport) {
        return Spread.of(millis(measured, transport));
    }

    private List<Double> millis(StepCase measured, Transport transport) {
        return millis.get(measured).getOrDefault(transport, List.of());
    }

    /** How many times as long a step takes; of runs of the same round. */
    Spread timesFaster(StepCase measured, Transport slower) {
        return ratio(measured, slower, (_, step) -> step);
    }

    /** The same of mini-batches: a step, and before it the computing of the paper's. */
    Spread timesFasterWithComputing(StepCase measured, Transport slower) {
        return ratio(measured, slower, (model, step) -> model.computingMs() + step);
    }

    private Spread ratio(StepCase measured, Transport slower, ToDoubleBiFunction<StepModel, Double> time) {
        List<Double> own = millis(measured, Transport.ZERO_COPY);
        List<Double> others = millis(measured, slower);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < Math.min(own.size(), others.size()); i++) {
            ratios.add(time.applyAsDouble(measured.model(), others.get(i))
                    / time.applyAsDouble(measured.model(), own.get(i)));
        }
        return Spread.of(ratios);
    }

    List<Goal> goals() {
        return cases().stream().filter(measured -> measured.model().title().equals(GOAL_MODEL)).map(measured -> {
            Spread times = timesFaster(measured, Transport.GRPC);
            return new Goal(measured + ": grpc / zerocopy", times, GOAL, true,
                    Double.isNaN(times.median()) ? "not measured" : Goal.verdict(times.median() >= GOAL));
        }).toList();
    }

    List<String> table() {
        List<String> lines = new ArrayList<>(List.of(HEADER));
        cases().forEach(measured -> lines.add(row(measured)));
        lines.add(
                "Computed: mini-batches, each a step and before it the computing that the paper has measured on its GPU.");
        goals().forEach(goal -> lines.add(String.format(Locale.ROOT, "%s is %.1f, target >= %.0f: %s", goal.what(),
                goal.value().median(), goal.limit(), goal.verdict())));
        return lines;
    }

    /** Of one case, with what the columns are; none if all was left out. */
    List<String> rows(StepCase measured) {
        return cases().contains(measured) ? List.of(HEADER, row(measured)) : List.of();
    }

    private String row(StepCase measured) {
        StringBuilder row = new StringBuilder(
                String.format(Locale.ROOT, "%-22s%8.2f", measured, mebibytes(measured)));
        for (Transport transport : Transport.values()) {
            row.append(cell(11, "%,.2f", step(measured, transport).median()));
        }
        for (Transport slower : List.of(Transport.COPY, Transport.GRPC)) {
            Spread times = timesFaster(measured, slower);
            row.append(cell(9, "%.1f", times.median())).append(cell(8, " ±%.0f %%", 50 * times.apart()));
        }
        return row.append(cell(20, "%.1f", timesFasterWithComputing(measured, Transport.GRPC).median())).toString();
    }

    /** Empty for what was left out. */
    private static String cell(int width, String format, double value) {
        String text = Double.isNaN(value) ? "" : String.format(Locale.ROOT, format, value);
        return String.format(Locale.ROOT, "%" + width + "s", text);
    }

    static double mebibytes(StepCase measured) {
        return measured.model().byteSize() / (double) (1 << 20);
    }

    static Map<String, String> versions() {
        return Map.of("grpc", String.valueOf(Machine.versionOf(ManagedChannel.class)));
    }

    /** All runs, and the machine. */
    String json() throws IOException {
        List<Map<String, Object>> all = new ArrayList<>();
        millis.forEach((measured, ofCase) -> ofCase.forEach((transport, steps) -> {
            Map<String, Object> figure = new LinkedHashMap<>();
            figure.put("model", measured.model().title());
            figure.put("variableBytes", measured.model().byteSize());
            figure.put("workers", measured.workers());
            figure.put("transport", transport.label);
            figure.put("stepMillis", steps);
            figure.put("computingMillisOfThePaper", measured.model().computingMs());
            all.add(figure);
        }));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("machine", Machine.toMap());
        json.put("versions", versions());
        json.put("figures", all);
        return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(json);
    }
}
