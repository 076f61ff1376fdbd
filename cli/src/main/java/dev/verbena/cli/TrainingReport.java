package dev.verbena.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

import dev.verbena.graph.run.SessionStatistics;
import dev.verbena.training.IterationTimes;
import dev.verbena.training.TrainingOptions;
import dev.verbena.training.TrainingResult;
import dev.verbena.training.Validation;

/**
 * All tasks' reports as one: the JSON object and the table.
 *
 * @param fabric that carried the tensors; {@code local} where nothing was carried
 * @param transport how it carried them: zerocopy, copy or grpc
 * @param plannedByteSize registered memory that was asked for in advance
 * @param tasks servers first
 */
record TrainingReport(String fabric, String transport, TrainingOptions options, int iterationsPerEpoch,
        long plannedByteSize,
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

    double testAccuracy() {
        return measured(TrainingResult::testAccuracy);
    }

    double testPerplexity() {
        return measured(TrainingResult::testPerplexity);
    }

    /** By the one task that did; NaN if none did. */
    private double measured(ToDoubleFunction<TrainingResult> measure) {
        return tasks.stream().map(TaskReport::result).mapToDouble(measure).filter(each -> !Double.isNaN(each))
                .findFirst().orElse(Double.NaN);
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("fabric", fabric);
        map.put("transport", transport);
        map.put("model", options.model());
        map.put("workers", options.workers());
        map.put("servers", options.servers());
        map.put("batch", options.batch());
        map.put("seed", options.seed());
        map.put("optimizer", options.optimizer().title());
        map.put("learningRate", options.learningRate());
        map.put("blasThreads", options.blasThreads());
        map.put("iterations", options.iterations());
        map.put("epochs", options.iterations() / (double) iterationsPerEpoch);
        map.put("testAccuracy", JsonText.nullable(testAccuracy()));
        map.put("testPerplexity", JsonText.nullable(testPerplexity()));
        map.put("validations", validations().stream().map(this::validationMap).toList());
        map.put("imagesPerSecond", imagesPerSecond());
        map.put("senderCopies", firstAndLater(SessionStatistics::copiesFirst, SessionStatistics::copiesLater));
        map.put("senderCopiedBytes",
                firstAndLater(SessionStatistics::copiedByteSizeFirst, SessionStatistics::copiedByteSizeLater));
        map.put("transfers", Map.of("static", sum(SessionStatistics::transfersStatic), "placed",
                sum(SessionStatistics::transfersPlaced), "lent", sum(SessionStatistics::transfersLent), "dynamic",
                sum(SessionStatistics::transfersDynamic)));
        map.put("sites", Map.of("seen", sum(SessionStatistics::sitesSeen), "registered",
                sum(SessionStatistics::sitesRegistered)));
        map.put("tasksWithTrace", options.traces() == null ? null : tasksWithTrace());
        map.put("registeredBytes", registeredByteSize());
        map.put("plannedBytes", plannedByteSize);
        map.put("registrationMillis", total(task -> task.result().registrationNs() / 1e6));
        map.put("bytesPerIteration", sum(SessionStatistics::crossingByteSize));
        map.put("tasks", tasks.stream().map(TrainingReport::taskMap).toList());
        List<Double> losses = new ArrayList<>();
        for (double loss : lossCurve()) {
            losses.add(JsonText.nullable(loss));
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
        boolean isText = !Double.isNaN(testPerplexity());
        if (isText) {
            row(table, "perplexity", "%.3f on what was held out", testPerplexity());
        } else {
            row(table, "test accuracy", "%.4f", testAccuracy());
        }
        if (validations().size() > 1) {
            row(table, "by epoch", "%s", validations().stream().map(each -> String.format(Locale.ROOT,
                    isText ? "%.4g: %.3f" : "%.4g: %.4f", epoch(each), isText ? each.perplexity() : each.accuracy()))
                    .collect(Collectors.joining(", ")));
        }
        row(table, isText ? "sequences/s" : "images/s", "%,.0f", imagesPerSecond());
        row(table, "sender copies", "%,d in the first iteration, %,d later", sum(SessionStatistics::copiesFirst),
                sum(SessionStatistics::copiesLater));
        if (options.traces() != null) {
            row(table, "trace", "%d of %d tasks began with what was learned before", tasksWithTrace(), tasks.size());
        }
        row(table, "transfers",
                "%,d static, %,d of them computed in place, %,d lent, %,d dynamic, %,d bytes per iteration",
                sum(SessionStatistics::transfersStatic), sum(SessionStatistics::transfersPlaced),
                sum(SessionStatistics::transfersLent), sum(SessionStatistics::transfersDynamic),
                sum(SessionStatistics::crossingByteSize));
        row(table, "registered", "%,d bytes, of %,d sites %,d", registeredByteSize(), sum(SessionStatistics::sitesSeen),
                sum(SessionStatistics::sitesRegistered));
        if (options.blasThreads() > 1) {
            row(table, "BLAS threads", "%d in each process", options.blasThreads());
        }
        for (TaskReport task : tasks) {
            IterationTimes times = task.result().times();
            row(table, task.result().task(),
                    "%.3f ms computing + %.3f copying + %.3f waiting in a mean iteration; of 100, 99 within %.3f, %.3f, %.3f",
                    meanMillis(times, times.computing()), meanMillis(times, times.copying()),
                    meanMillis(times, times.waiting()), times.computing().p99Ns() / 1e6, times.copying().p99Ns() / 1e6,
                    times.waiting().p99Ns() / 1e6);
        }
        return table.toString();
    }

    private static void row(StringBuilder table, String name, String format, Object... values) {
        table.append(String.format(Locale.ROOT, "%-15s", name)).append(String.format(Locale.ROOT, format, values))
                .append('\n');
    }

    private static double meanMillis(IterationTimes times, IterationTimes.Share share) {
        return share.totalNs() / 1e6 / Math.max(1, times.iterations());
    }

    /** Of the task that measured; in the end once, where nothing else was asked for. */
    List<Validation> validations() {
        return tasks.stream().flatMap(task -> task.result().validations().stream()).toList();
    }

    private Map<String, Object> validationMap(Validation measured) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("iteration", measured.iteration());
        map.put("accuracy", JsonText.nullable(measured.accuracy()));
        map.put("perplexity", JsonText.nullable(measured.perplexity()));
        map.put("epoch", epoch(measured));
        return map;
    }

    double epoch(Validation measured) {
        return measured.iteration() / (double) iterationsPerEpoch;
    }

    /** As people read it. */
    static String text(Validation measured) {
        return Double.isNaN(measured.perplexity())
                ? String.format(Locale.ROOT, "test accuracy %.4f", measured.accuracy())
                : String.format(Locale.ROOT, "perplexity %.3f", measured.perplexity());
    }

    private long tasksWithTrace() {
        return tasks.stream().filter(task -> task.result().hadTrace()).count();
    }

    private static Map<String, Object> taskMap(TaskReport task) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("task", task.result().task());
        map.put("pid", task.pid());
        map.put("maxResidentBytes", task.residentPeakByteSize());
        map.put("registeredBytes", task.result().registeredByteSize());
        IterationTimes times = task.result().times();
        map.put("iterationMillis", Map.of("computing", shareMap(times, times.computing()), "copying",
                shareMap(times, times.copying()), "waiting", shareMap(times, times.waiting())));
        return map;
    }

    private static Map<String, Object> shareMap(IterationTimes times, IterationTimes.Share share) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("mean", meanMillis(times, share));
        map.put("p50", share.p50Ns() / 1e6);
        map.put("p99", share.p99Ns() / 1e6);
        map.put("max", share.maxNs() / 1e6);
        map.put("total", share.totalNs() / 1e6);
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
