package dev.verbena.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

import dev.verbena.graph.SessionStatistics;
import dev.verbena.training.TrainingOptions;

/**
 * All tasks' reports as one: the JSON object and the table.
 *
 * @param fabric that carried the tensors; {@code local} where nothing was carried
 * @param plannedByteSize registered memory that was asked for in advance
 * @param tasks servers first
 */
record TrainingReport(String fabric, TrainingOptions options, int iterationsPerEpoch, long plannedByteSize,
        List<TaskReport> tasks) {

    /** The mean over the workers, iteration by iteration; with one worker its very bits. */
    double[] lossCurve() {
        List<double[]> curves = tasks.stream().map(task -> task.result().lossCurve()).filter(c -> c.length > 0)
                .toList();
        double[] mean = new double[curves.stream().mapToInt(curve -> curve.length).min().orElse(0)];
        for (int i = 0; i < mean.length; i++) {
            double sum = 0;
            for (double[] curve : curves) {
                sum += curve[i];
            }
            mean[i] = curves.size() == 1 ? curves.getFirst()[i] : sum / curves.size();
        }
        return mean;
    }

    /** Of the one task that measured it; NaN if none did. */
    double testAccuracy() {
        return tasks.stream().mapToDouble(task -> task.result().testAccuracy()).filter(a -> !Double.isNaN(a))
                .findFirst()
                .orElse(Double.NaN);
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("fabric", fabric);
        map.put("transport", options.copy() ? "copy" : "zerocopy");
        map.put("model", options.model());
        map.put("workers", options.workers());
        map.put("servers", options.servers());
        map.put("batch", options.batch());
        map.put("seed", options.seed());
        map.put("learningRate", options.learningRate());
        map.put("iterations", options.iterations());
        map.put("epochs", options.iterations() / (double) iterationsPerEpoch);
        map.put("testAccuracy", JsonLines.nullable(testAccuracy()));
        map.put("imagesPerSecond", imagesPerSecond());
        map.put("senderCopies", firstAndLater(SessionStatistics::copiesFirst, SessionStatistics::copiesLater));
        map.put("senderCopiedBytes",
                firstAndLater(SessionStatistics::copiedByteSizeFirst, SessionStatistics::copiedByteSizeLater));
        map.put("transfers", Map.of("static", sum(SessionStatistics::transfersStatic), "dynamic",
                sum(SessionStatistics::transfersDynamic)));
        map.put("sites", Map.of("seen", sum(SessionStatistics::sitesSeen), "registered",
                sum(SessionStatistics::sitesRegistered)));
        map.put("registeredBytes", registeredByteSize());
        map.put("plannedBytes", plannedByteSize);
        map.put("registrationMillis", total(task -> task.result().registrationNs() / 1e6));
        map.put("bytesPerIteration", sum(SessionStatistics::crossingByteSize));
        map.put("tasks", tasks.stream().map(TrainingReport::taskMap).toList());
        List<Double> losses = new ArrayList<>();
        for (double loss : lossCurve()) {
            losses.add(JsonLines.nullable(loss));
        }
        map.put("lossCurve", losses);
        return map;
    }

    String toTable() {
        double[] losses = lossCurve();
        StringBuilder table = new StringBuilder();
        row(table, "model", "%s, %d workers, %d servers, fabric %s", options.model(), options.workers(),
                options.servers(), fabric);
        row(table, "iterations", "%,d (%.1f epochs), batch %d", options.iterations(),
                options.iterations() / (double) iterationsPerEpoch, options.batch());
        if (losses.length > 0) {
            row(table, "loss", "%.4f, at first %.4f", losses[losses.length - 1], losses[0]);
        }
        row(table, "test accuracy", "%.4f", testAccuracy());
        row(table, "images/s", "%,.0f", imagesPerSecond());
        row(table, "sender copies", "%,d in the first iteration, %,d later", sum(SessionStatistics::copiesFirst),
                sum(SessionStatistics::copiesLater));
        row(table, "transfers", "%,d static, %,d dynamic, %,d bytes per iteration",
                sum(SessionStatistics::transfersStatic), sum(SessionStatistics::transfersDynamic),
                sum(SessionStatistics::crossingByteSize));
        row(table, "registered", "%,d bytes, of %,d sites %,d", registeredByteSize(), sum(SessionStatistics::sitesSeen),
                sum(SessionStatistics::sitesRegistered));
        return table.toString();
    }

    private static void row(StringBuilder table, String name, String format, Object... values) {
        table.append(String.format(Locale.ROOT, "%-15s", name)).append(String.format(Locale.ROOT, format, values))
                .append('\n');
    }

    private static Map<String, Object> taskMap(TaskReport task) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("task", task.result().task());
        map.put("pid", task.pid());
        map.put("maxResidentBytes", task.residentPeakByteSize());
        map.put("registeredBytes", task.result().registeredByteSize());
        return map;
    }

    private double imagesPerSecond() {
        return total(task -> task.result().imagesPerSecond());
    }

    private long registeredByteSize() {
        return tasks.stream().mapToLong(task -> task.result().registeredByteSize()).sum();
    }

    private Map<String, Object> firstAndLater(ToLongFunction<SessionStatistics> first,
            ToLongFunction<SessionStatistics> later) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("firstIteration", sum(first));
        map.put("later", sum(later));
        return map;
    }

    private long sum(ToLongFunction<SessionStatistics> figure) {
        return tasks.stream().mapToLong(task -> figure.applyAsLong(task.result().session())).sum();
    }

    private double total(ToDoubleFunction<TaskReport> figure) {
        return tasks.stream().mapToDouble(figure).sum();
    }
}
