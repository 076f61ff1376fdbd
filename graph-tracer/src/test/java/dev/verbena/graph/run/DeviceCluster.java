package dev.verbena.graph.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import dev.verbena.graph.Graph;
import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;

/** A device for each task of a graph, over shared memory, in one process; each task's session lives on a thread of its own. */
final class DeviceCluster implements AutoCloseable {
    final Map<String, RdmaDevice> devices = new LinkedHashMap<>();
    final Map<String, Endpoint> endpoints = new LinkedHashMap<>();
    final Map<String, SessionStatistics> statistics = new LinkedHashMap<>();
    private final Map<String, RdmaDevice> added = new LinkedHashMap<>();
    /** What sessions waited for at set-up. */
    final List<String> heard = new CopyOnWriteArrayList<>();
    private final Graph graph;
    private final Map<String, SessionOptions> options = new LinkedHashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    DeviceCluster(Graph graph, SessionOptions options, ArrivalMode arrivalMode) {
        this.graph = graph;
        for (String task : graph.tasks()) {
            RdmaDevice device = device(task, arrivalMode);
            devices.put(task, device);
            this.options.put(task, options);
            endpoints.put(task, device.endpoint());
        }
    }

    private static RdmaDevice device(String task, ArrivalMode arrivalMode) {
        return RdmaDevice.create(
                RdmaDeviceOptions.defaults().withName(task).withFabric("shm").withArrivalMode(arrivalMode));
    }

    /** A device for a task of another graph, which the caller closes. */
    RdmaDevice add(String task) {
        RdmaDevice device = device(task, ArrivalMode.AUTO);
        added.put(task, device);
        endpoints.put(task, device.endpoint());
        return device;
    }

    /** Another session of a task, which the caller closes. */
    Session open(String task, SessionOptions others) {
        return open(graph, task, others);
    }

    /** A session of another graph. */
    Session open(Graph other, String task, SessionOptions others) {
        RdmaDevice device = devices.getOrDefault(task, added.get(task));
        return Sessions.distributed(other, task, endpoints, device, others);
    }

    /** Another task's options. */
    void give(String task, SessionOptions others) {
        options.put(task, others);
    }

    /** Says it in {@link #heard}. */
    private SessionListener listenerOf(String task) {
        return new SessionListener() {
            @Override
            public void onPeerAwaited(String peer, Endpoint endpoint, Duration timeout) {
                heard.add(task + " awaits " + peer + " at " + endpoint + " for " + timeout.toSeconds() + " s");
            }

            @Override
            public void onPeerAnswered() {
                heard.add(task + " goes on");
            }
        };
    }

    /** Creates all sessions at once, runs the body on each, closes them; throws the failures of all that failed. */
    void run(LoopbackCluster.Body body) throws Exception {
        List<Future<?>> futures = new ArrayList<>();
        devices.forEach((task, device) -> futures.add(threads.submit(() -> {
            try (Session session = Sessions.distributed(graph, task, endpoints, device, options.get(task),
                    listenerOf(task))) {
                body.run(task, session);
                synchronized (statistics) {
                    statistics.put(task, session.statistics());
                }
            }
            return null;
        })));
        Exception failure = null;
        for (Future<?> future : futures) {
            try {
                future.get(60, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                if (failure == null) {
                    failure = e.getCause() instanceof Exception cause ? cause : e;
                } else {
                    failure.addSuppressed(e.getCause());
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        devices.values().forEach(RdmaDevice::close);
    }
}
