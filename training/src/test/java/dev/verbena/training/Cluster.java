package dev.verbena.training;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;

/** All tasks of a training in one JVM, each with a device and a thread of its own. Servers are told the facts of the data, and have none of it. */
final class Cluster {
    private Cluster() {}

    /** @return the result of each task */
    static Map<String, TrainingResult> train(TrainingOptions options, TrainingData data) throws Exception {
        return train(options, data, Progress.pollers(), _ -> {});
    }

    /** @param ended told the name of each task that has nothing more to do */
    static Map<String, TrainingResult> train(TrainingOptions options, TrainingData data, Progress progress,
            Consumer<String> ended) throws Exception {
        Map<String, RdmaDevice> devices = new LinkedHashMap<>();
        Map<String, Endpoint> endpoints = new LinkedHashMap<>();
        List<Future<TrainingResult>> running = new ArrayList<>();
        Map<String, TrainingResult> results = new LinkedHashMap<>();
        try {
            for (String task : Training.tasks(options)) {
                devices.put(task, RdmaDevice.create(RdmaDeviceOptions.defaults().withName(task).withFabric("shm")
                        .withProgress(progress)));
                endpoints.put(task, devices.get(task).endpoint());
            }
            try (ExecutorService threads = Executors.newFixedThreadPool(devices.size())) {
                devices.forEach((task, device) -> running
                        .add(threads.submit(() -> {
                            TrainingResult result = train(options, Training.isServer(task) ? data.facts() : data, task,
                                    endpoints, device);
                            ended.accept(task);
                            return result;
                        })));
            }
            for (Future<TrainingResult> result : running) {
                results.put(result.get().task(), result.get());
            }
            return results;
        } finally {
            devices.values().forEach(RdmaDevice::close);
        }
    }

    /** One task; if it fails it tells the others, which must not wait for it. */
    private static TrainingResult train(TrainingOptions options, TrainingData data, String task,
            Map<String, Endpoint> cluster, RdmaDevice device) {
        try {
            return Training.task(options, data, task, cluster, device, (_, _, _) -> {});
        } catch (RuntimeException e) {
            device.abort(e.toString());
            throw e;
        }
    }

    /** The mean of the workers' losses in each iteration. */
    static double[] meanLosses(Map<String, TrainingResult> results) {
        List<double[]> curves = results.values().stream().filter(result -> result.task().startsWith("worker"))
                .map(TrainingResult::lossCurve).toList();
        double[] mean = new double[curves.getFirst().length];
        for (double[] curve : curves) {
            for (int i = 0; i < mean.length; i++) {
                mean[i] += curve[i] / curves.size();
            }
        }
        return mean;
    }
}
