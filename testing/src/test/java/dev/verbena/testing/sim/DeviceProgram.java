package dev.verbena.testing.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.transfer.Direction;
import dev.verbena.transfer.RdmaChannel;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TransferException;

/**
 * Three devices as they ship, in one simulation, that do at random all that users can do with them. What waits is done by the program, one
 * after the other; meanwhile each device has its turns, in events: it polls, offers, and gives tensors back.
 *
 * <p><b>Owner:</b> the test. <b>Threading:</b> one thread.
 */
public final class DeviceProgram {
    static final Duration TIMEOUT = Duration.ofSeconds(5);
    static final int COPY_BYTE_SIZE = 3_000;
    private static final int DEVICES = 3;
    private static final int STEPS = 40;
    /** Many times what a program takes. */
    private static final int TURNS_MAX = 100_000;
    /** By then all incidents are over, and all who were concerned have heard. */
    private static final long QUIET_NS = 10_000_000;

    private final Random random;
    private final FaultPlan plan;
    private final Simulation simulation;
    private final List<SimDevice> devices = new ArrayList<>();
    private final List<TensorStream> streams = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private long stepNs;
    private int turns;
    private boolean isOver;

    private DeviceProgram(long seed, FaultPlan plan) {
        this.plan = plan;
        random = Chance.random(seed * 31);
        simulation = new Simulation(seed, plan);
    }

    /** Random faults, and often messages so small that a tensor takes several. */
    public static FaultPlan plan(long seed) {
        FaultPlan plan = seed % 3 == 0 ? FaultPlan.harmless(seed) : FaultPlan.random(seed);
        return seed % 2 == 0 ? plan : plan.with(Fault.MESSAGE_BYTE_SIZE_MAX, 512);
    }

    /** @return what the run is known by */
    public static long run(long seed) {
        return run(seed, plan(seed));
    }

    static long run(long seed, FaultPlan plan) {
        DeviceProgram program = new DeviceProgram(seed, plan);
        try (program.simulation) {
            program.run();
        } catch (Throwable e) {
            program.violations.add(e.toString());
            throw program.failed(e);
        }
        program.violations.addAll(program.simulation.holdings());
        if (!program.violations.isEmpty()) {
            throw program.failed(null);
        }
        return program.simulation.fingerprint();
    }

    private AssertionError failed(Throwable cause) {
        return new AssertionError(String.join("; ", violations) + "\n" + simulation + "\n"
                + String.join("\n", simulation.history()), cause);
    }

    private void run() {
        for (int i = 0; i < DEVICES; i++) {
            devices.add(new SimDevice(this, simulation, i));
        }
        devices.forEach(this::takeTurns);
        for (int i = 0; i < STEPS; i++) {
            step();
            check();
        }
        simulation.run(QUIET_NS);
        streams.forEach(TensorStream::stopOffering);
        awaitSettled();
        beginAgain();
        devices.forEach(SimDevice::close);
        isOver = true;
        streams.forEach(TensorStream::checkCallbacks);
        devices.forEach(SimDevice::checkLosses);
        check();
    }

    // ---- turns ----

    /** The longer the program waits for something, the less often; else long waits would take long. */
    private void takeTurns(SimDevice device) {
        if (isOver || device.isGone()) {
            return;
        }
        if (++turns > TURNS_MAX) {
            throw new IllegalStateException("it does not end: turns=" + turns);
        }
        if (!simulation.isPolling() && !device.isStill()) {
            device.progress();
            streams.forEach(stream -> stream.takeTurn(device));
        }
        long pause = 500 + random.nextInt(4_000) + (simulation.deviceNs() - stepNs) / 20;
        simulation.schedule(pause, device + " has its turn", () -> takeTurns(device));
    }

    // ---- what the program does ----

    private void step() {
        stepNs = simulation.deviceNs();
        SimDevice from = devices.get(random.nextInt(DEVICES));
        SimDevice to = devices.get(random.nextInt(DEVICES));
        int what = random.nextInt(64);
        if (what < 12) {
            if (from.canReach(to)) {
                open(from, to, random.nextInt(4) == 0);
            }
        } else if (what < 20) {
            copy(from, to);
        } else if (what < 28) {
            call(from, to);
        } else if (what < 32 && !streams.isEmpty()) {
            streams.get(random.nextInt(streams.size())).closeSender();
        } else if (what < 36) {
            streams.stream().filter(TensorStream::mayCloseReceiver).findFirst().ifPresent(TensorStream::closeReceiver);
        } else if (what == 36 && !from.isGone()) {
            from.abort();
        } else if (what == 37) {
            from.close();
        }
        simulation.run(random.nextInt(60_000));
    }

    private TensorStream open(SimDevice from, SimDevice to, boolean isLate) {
        TensorStream stream = new TensorStream(this, streams.size(), from, to, random);
        attempt(from, to, "sender", () -> {
            if (isLate) {
                simulation.schedule(random.nextInt(100_000), stream + " is announced", stream::announceLate);
            } else {
                stream.announce();
            }
            stream.connect();
        });
        streams.add(stream);
        return stream;
    }

    private void call(SimDevice from, SimDevice to) {
        byte[] request = new byte[random.nextInt(200)];
        random.nextBytes(request);
        boolean isRefused = random.nextInt(4) == 0;
        if (!from.canReach(to)) {
            return;
        }
        attempt(from, to, "call", () -> {
            if (isRefused) {
                try {
                    from.call(to, "refuse", request);
                    violate("a refused call of " + from + " was answered");
                } catch (TransferException e) {
                    if (!e.getMessage().contains("not today")) {
                        throw e;
                    }
                }
            } else if (!Arrays.equals(SimDevice.reversed(request), from.call(to, "reverse", request))) {
                violate("a call of " + from + " has a wrong answer");
            }
        });
    }

    private void copy(SimDevice from, SimDevice to) {
        if (!from.canReach(to) || from.isCopying(to)) {
            return;
        }
        int seed = random.nextInt();
        attempt(from, to, "memcpy", () -> new RegionCopy(this, from, to, from.channel(to, 0), seed).start());
    }

    /** What waits is ended: by success, or by an error that something has caused. */
    private void attempt(SimDevice from, SimDevice to, String what, Runnable action) {
        try {
            action.run();
        } catch (TransferException e) {
            if (isHarmless(from, to)) {
                violate(what + " from " + from + " to " + to + " failed though nothing has: " + e.getMessage());
            }
            if (e.getMessage().contains("no answer: ") && !from.isGone()) {
                violate(what + " from " + from + " to " + to + " heard nothing: " + e.getMessage());
            }
        } catch (OutOfArenaMemoryException e) {
            if (plan.get(Fault.FAILED_REGISTRATION_ONE_IN) == 0) {
                throw e;
            }
        } catch (IllegalStateException e) {
            if (!from.isGone() && !to.isGone()) {
                throw e;
            }
        }
    }

    // ---- the end ----

    private void awaitSettled() {
        stepNs = simulation.deviceNs();
        if (!simulation.runUntil(() -> streams.stream().allMatch(TensorStream::isSettled), TIMEOUT.toNanos())) {
            streams.stream().filter(stream -> !stream.isSettled())
                    .forEach(stream -> violate(stream.state() + " is not settled"));
        }
        check();
    }

    /** Whatever has become of their connections: devices that live connect anew. */
    private void beginAgain() {
        if (!isMemorySure() || plan.get(Fault.COMPLETION_COUNT_MAX) != 0) {
            return;
        }
        List<SimDevice> left = devices.stream().filter(device -> !device.hasEnded()).toList();
        for (int i = 1; i < left.size(); i++) {
            stepNs = simulation.deviceNs();
            TensorStream stream = open(left.get(i - 1), left.get(i), false);
            simulation.runUntil(() -> stream.received() > 3, TIMEOUT.toNanos());
            if (stream.received() <= 3 || stream.hasFailed()) {
                violate("a fresh " + stream.state() + " does not work");
            }
        }
        streams.forEach(TensorStream::stopOffering);
        awaitSettled();
    }

    // ---- what its parts ask ----

    Simulation simulation() {
        return simulation;
    }

    boolean isMemorySure() {
        return plan.get(Fault.FAILED_REGISTRATION_ONE_IN) == 0;
    }

    /** Whether nothing has happened that lets anything fail between them. */
    boolean isHarmless(SimDevice from, SimDevice to) {
        return plan.incidents().isEmpty() && isMemorySure() && plan.get(Fault.COMPLETION_COUNT_MAX) == 0
                && !from.hasEnded() && !to.hasEnded();
    }

    void violate(String what) {
        violations.add(what);
    }

    private void check() {
        if (!violations.isEmpty()) {
            throw new AssertionError("found");
        }
    }

    /** Content of a region, copied there and back; each end of a copy is told of once. */
    private record RegionCopy(DeviceProgram program, SimDevice from, SimDevice to, RdmaChannel channel, int seed) {
        void start() {
            from.fill(to, seed);
            copy(Direction.LOCAL_TO_REMOTE, () -> {
                if (!to.hasEnded() && !to.hasLanded(from, seed)) {
                    program.violate("a copy from " + from + " to " + to + " is done but not there");
                }
                from.fill(to, 0);
                copy(Direction.REMOTE_TO_LOCAL, () -> {
                    if (!from.holds(to, seed)) {
                        program.violate("a copy to " + from + " from " + to + " is done but not there");
                    }
                });
            });
        }

        private void copy(Direction direction, Runnable then) {
            int[] ends = {0};
            from.onCopy(to, 1);
            try {
                SendResult result = channel.memcpy(from.region(), from.offset(to), to.landing(from), 0, COPY_BYTE_SIZE,
                        direction, failure -> {
                            from.onCopy(to, -1);
                            if (++ends[0] > 1) {
                                program.violate("a copy of " + from + " ended twice");
                            } else if (failure == null && !from.hasEnded()) {
                                then.run();
                            }
                        });
                if (result == SendResult.BACK_PRESSURED) {
                    from.onCopy(to, -1);
                }
            } catch (TransferException e) {
                from.onCopy(to, -1);
            }
        }
    }
}
