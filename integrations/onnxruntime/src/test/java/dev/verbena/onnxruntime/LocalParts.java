package dev.verbena.onnxruntime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;

/** All parts of a model, each with a thread and a device of its own, and the client. */
final class LocalParts implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(20);

    private final List<RdmaDevice> devices = new ArrayList<>();
    private final List<FutureTask<PartStatistics>> parts = new ArrayList<>();
    private final ModelWeights weights;
    private final boolean ownsWeights;
    private final PartClient client;
    private final CountDownLatch connected;
    private volatile boolean isStopped;

    private LocalParts(ModelPlan plan, PartOptions options, RdmaDeviceOptions like, ModelWeights weights,
            boolean ownsWeights) {
        this.weights = weights;
        this.ownsWeights = ownsWeights;
        connected = new CountDownLatch(plan.partitioning().partCount());
        Map<Integer, Endpoint> endpoints = new HashMap<>();
        for (int part = ModelPlan.CLIENT; part < plan.partitioning().partCount(); part++) {
            devices.add(RdmaDevice.create(like.withName(ModelPlan.nameOf(part))));
            endpoints.put(part, devices.getLast().endpoint());
        }
        for (int part = 0; part < plan.partitioning().partCount(); part++) {
            int index = part;
            parts.add(new FutureTask<>(() -> run(plan, index, options, endpoints)));
            Thread.ofPlatform().daemon().name("part " + part).start(parts.getLast());
        }
        client = PartClient.open(plan, devices.getFirst(), options);
        client.connect(endpoints);
        awaitConnected(options);
    }

    /** @param like what each device is like, but for its name */
    static LocalParts start(ModelPlan plan, PartOptions options, RdmaDeviceOptions like) {
        return new LocalParts(plan, options, like, ModelWeights.of(plan.model()), true);
    }

    static LocalParts start(ModelPlan plan, PartOptions options, RdmaDeviceOptions like, ModelWeights weights) {
        return new LocalParts(plan, options, like, weights, false);
    }

    private PartStatistics run(ModelPlan plan, int part, PartOptions options, Map<Integer, Endpoint> endpoints) {
        try (PartRunner runner = PartRunner.open(plan, part, devices.get(part + 1), weights, options)) {
            runner.connect(endpoints);
            connected.countDown();
            while (!isStopped) {
                runner.infer(LOOK);
            }
            return runner.statistics();
        }
    }

    /** A part that is stopped before that would be gone when another one looks for it. */
    private void awaitConnected(PartOptions options) {
        try {
            if (!connected.await(options.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("parts that have not found each other: " + connected.getCount());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    PartClient client() {
        return client;
    }

    ModelWeights weights() {
        return weights;
    }

    /** Ends the parts. */
    List<PartStatistics> stop() {
        isStopped = true;
        List<PartStatistics> statistics = new ArrayList<>();
        for (FutureTask<PartStatistics> part : parts) {
            statistics.add(joined(part));
        }
        return statistics;
    }

    private static PartStatistics joined(FutureTask<PartStatistics> part) {
        try {
            return part.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Tensors that a device has copied before it sent them. */
    long deviceCopies() {
        return devices.stream().mapToLong(device -> device.statistics().copies()).sum();
    }

    @Override
    public void close() {
        stop();
        client.close();
        devices.forEach(RdmaDevice::close);
        if (ownsWeights) {
            weights.close();
        }
    }
}
