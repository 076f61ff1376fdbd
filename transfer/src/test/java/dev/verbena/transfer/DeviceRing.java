package dev.verbena.transfer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

import dev.verbena.memory.TensorArena;

/** Devices in this process that are the members of a group, each with an arena and, for what it does, a thread. */
final class DeviceRing implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(60);

    final List<RdmaDevice> devices = new ArrayList<>();
    final List<TensorArena> arenas = new ArrayList<>();
    final List<Group> groups = new ArrayList<>();
    private final ExecutorService threads;

    /** What a member does. */
    @FunctionalInterface
    interface Act {
        void of(int rank) throws Exception;
    }

    DeviceRing(int size, RdmaDeviceOptions options) {
        threads = Executors.newFixedThreadPool(size);
        for (int rank = 0; rank < size; rank++) {
            devices.add(RdmaDevice.create(options.withFabric("shm").withName("member" + rank)));
            arenas.add(TensorArena.create(devices.get(rank).slabSource(), 1 << 20, 1 << 28));
        }
    }

    static DeviceRing joined(int size, GroupOptions options) {
        return joined(size, options, RdmaDeviceOptions.defaults());
    }

    static DeviceRing joined(int size, GroupOptions options, RdmaDeviceOptions deviceOptions) {
        DeviceRing ring = new DeviceRing(size, deviceOptions);
        for (int rank = 0; rank < size; rank++) {
            ring.groups
                    .add(ring.devices.get(rank).group("ring", rank, ring.endpoints(), ring.arenas.get(rank), options));
        }
        ring.all(rank -> {
            ring.groups.get(rank).join(TIMEOUT);
            // Where callers drive, who is through answers the others only while it waits itself.
            ring.groups.get(rank).barrier(TIMEOUT);
        });
        return ring;
    }

    List<Endpoint> endpoints() {
        return devices.stream().map(RdmaDevice::endpoint).toList();
    }

    int size() {
        return devices.size();
    }

    /** All at once; throws what the first of them has thrown. */
    void all(Act act) {
        List<Throwable> thrown = outcomes(act);
        for (Throwable each : thrown) {
            if (each != null) {
                throw new AssertionError("rank " + thrown.indexOf(each) + ": " + each, each);
            }
        }
    }

    /** All at once; what each has thrown, or null. */
    List<Throwable> outcomes(Act act) {
        IntFunction<Future<?>> start = rank -> threads.submit(() -> {
            act.of(rank);
            return null;
        });
        List<Future<?>> started = new ArrayList<>();
        for (int rank = 0; rank < size(); rank++) {
            started.add(start.apply(rank));
        }
        List<Throwable> outcomes = new ArrayList<>();
        for (Future<?> each : started) {
            try {
                each.get();
                outcomes.add(null);
            } catch (ExecutionException e) {
                outcomes.add(e.getCause());
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        return outcomes;
    }

    @Override
    public void close() {
        all(rank -> {
            if (rank < groups.size()) {
                groups.get(rank).close();
            }
            devices.get(rank).close();
        });
        threads.shutdown();
    }

    /** In the end: nobody holds anything any more. */
    void closeArenas() {
        arenas.forEach(TensorArena::close);
    }
}
