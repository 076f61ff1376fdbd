package dev.verbena.testing.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.testing.program.World;
import dev.verbena.transfer.TransferException;

/**
 * Three devices as they ship, in one simulation, that do at random all that users can do with them. What waits is done by the program, one
 * after the other; meanwhile each device has its turns, in events: it polls, offers, and gives tensors back.
 *
 * <p><b>Owner:</b> the test. <b>Threading:</b> one thread.
 */
public final class DeviceProgram implements World {
    static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int DEVICES = 3;
    private static final int STEPS = 40;
    /** Many times what a program takes. */
    private static final int TURNS_MAX = 100_000;
    /** So long after the last incident all who were concerned have heard. */
    private static final long QUIET_NS = 10_000_000;
    private static final int LATE_NS_MAX = 200_000;
    /** Longer than messages wait for a receive, and calls for an answer. */
    private static final long LONG_PAUSE_NS = 12_000_000_000L;
    private static final int LONG_PAUSE_ONE_IN = 40;
    private static final int LONG_PAUSE_AT_NS_MAX = 1_500_000;
    /** More than these of so small queue pairs seldom come at once. */
    private static final int COMPLETIONS = 6;

    private final Random random;
    private final FaultPlan plan;
    private final Simulation simulation;
    private final Tally tally;
    private final List<SimDevice> devices = new ArrayList<>();
    private final List<TensorStream> streams = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private long stepNs;
    private int turns;
    private boolean isOver;

    private DeviceProgram(long seed, FaultPlan plan, Tally tally) {
        this.plan = plan;
        this.tally = tally;
        random = Chance.random(seed * 31);
        simulation = new Simulation(seed, plan);
    }

    /** Random faults, often messages so small that a tensor takes several, and seldom a process that stands still for very long. */
    public static FaultPlan plan(long seed) {
        FaultPlan plan = seed % 3 == 0 ? FaultPlan.harmless(seed) : FaultPlan.random(seed);
        if (seed % LONG_PAUSE_ONE_IN == 1) {
            Random random = Chance.random(seed * 37);
            plan = plan.with(new Incident(Incident.Kind.PAUSE, random.nextInt(DEVICES),
                    random.nextInt(LONG_PAUSE_AT_NS_MAX), LONG_PAUSE_NS));
        }
        if (plan.get(Fault.COMPLETION_COUNT_MAX) != 0) {
            plan = plan.with(Fault.COMPLETION_COUNT_MAX, 2 + seed % COMPLETIONS);
        }
        return seed % 2 == 0 ? plan : plan.with(Fault.MESSAGE_BYTE_SIZE_MAX, 512);
    }

    /** @return what the run is known by */
    public static long run(long seed) {
        return run(seed, plan(seed), new Tally());
    }

    static long run(long seed, FaultPlan plan, Tally tally) {
        DeviceProgram program = new DeviceProgram(seed, plan, tally);
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
        tally.add(program.simulation);
        return program.simulation.fingerprint();
    }

    private AssertionError failed(Throwable cause) {
        return new AssertionError(String.join("; ", violations) + "\n" + simulation + "\n"
                + String.join("\n", simulation.history()), cause);
    }

    private void run() {
        for (int i = 0; i < DEVICES; i++) {
            SimDevice device = new SimDevice(this, simulation, i);
            devices.add(device);
            if (random.nextInt(4) == 0) {
                tally.add("late peers");
                simulation.schedule(random.nextInt(LATE_NS_MAX), device + " begins late", () -> begin(device));
            } else {
                begin(device);
            }
        }
        for (int i = 0; i < STEPS; i++) {
            step();
            check();
        }
        long lastNs = plan.incidents().stream().filter(each -> each.kind() != Incident.Kind.JUMP)
                .mapToLong(each -> each.atNs() + each.lengthNs()).max().orElse(0);
        simulation.run(Math.max(lastNs - simulation.deviceNs(), 0) + QUIET_NS);
        streams.forEach(TensorStream::stopOffering);
        awaitSettled();
        beginAgain();
        devices.forEach(SimDevice::close);
        isOver = true;
        streams.forEach(TensorStream::checkCallbacks);
        devices.forEach(SimDevice::checkEnd);
        check();
        tally.add("tensors", streams.stream().mapToLong(TensorStream::received).sum());
        tally.add("failed copies", devices.stream().filter(device -> device.host() != null)
                .mapToLong(device -> device.host().failedCopies()).sum());
        tally.add("losses", devices.stream().mapToLong(SimDevice::lossCount).sum());
    }

    // ---- turns ----

    private void begin(SimDevice device) {
        device.begin();
        takeTurns(device);
    }

    /** The longer the program waits for something, the less often; else long waits would take long. A call of many messages still ends in time. */
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
        long pause = 500 + random.nextInt(4_000) + (simulation.deviceNs() - stepNs) / 40;
        simulation.schedule(pause, device + " has its turn", () -> takeTurns(device));
    }

    // ---- what the program does ----

    private void step() {
        stepNs = simulation.deviceNs();
        SimDevice from = devices.get(random.nextInt(DEVICES));
        SimDevice to = devices.get(random.nextInt(DEVICES));
        int what = random.nextInt(64);
        if (what < 12) {
            if (from.mayLookFor(to)) {
                open(from, to, !to.hasBegun() || random.nextInt(4) == 0);
            }
        } else if (what < 20) {
            copy(from, to);
        } else if (what < 28) {
            call(from, to);
        } else if (what < 32 && !streams.isEmpty()) {
            streams.get(random.nextInt(streams.size())).closeSender();
            tally.add("closed senders");
        } else if (what < 36) {
            streams.stream().filter(TensorStream::mayCloseReceiver).findFirst().ifPresent(stream -> {
                stream.closeReceiver();
                tally.add("closed receivers");
            });
        } else if (what == 36 && from.hasBegun() && !from.isGone()) {
            from.abort();
            tally.add("aborts");
        } else if (what == 37 && from.hasBegun()) {
            from.close();
            tally.add("closed devices");
        }
        simulation.run(random.nextInt(60_000));
    }

    private TensorStream open(SimDevice from, SimDevice to, boolean isLate) {
        TensorStream stream = new TensorStream(this, streams.size(), from, to, random);
        streams.add(stream);
        tally.add(isLate ? "late receivers" : "receivers");
        tally.add("streams " + stream.protocol());
        tally.add("slow consumers", stream.isSlow() ? 1 : 0);
        attempt(from, to, "sender", () -> {
            if (isLate) {
                simulation.schedule(random.nextInt(100_000), stream + " is announced", stream::announceLate);
            } else {
                stream.announce();
            }
            stream.connect();
        });
        return stream;
    }

    private void call(SimDevice from, SimDevice to) {
        if (from.mayLookFor(to)) {
            attempt(from, to, "call", () -> {
                from.host().call(to.endpoint(), TIMEOUT);
                tally.add("calls");
            });
        }
    }

    private void copy(SimDevice from, SimDevice to) {
        if (!from.canReach(to) || from.host().isCopying(to.number())) {
            return;
        }
        int seed = random.nextInt();
        attempt(from, to, "memcpy", () -> from.host().copy(to.endpoint(), to.number(),
                to.host().landing(from.number()), seed, () -> {
                    tally.add("copies");
                    if (!to.hasEnded() && !to.host().hasLanded(from.number(), seed)) {
                        violate("a copy from " + from + " to " + to + " is done but not there");
                    }
                }));
    }

    /** What waits is ended: by success, or by an error that something has caused. */
    private void attempt(SimDevice from, SimDevice to, String what, Runnable action) {
        try {
            action.run();
        } catch (TransferException e) {
            tally.add("errors of a " + what);
            if (isHarmless(from, to)) {
                violate(what + " from " + from + " to " + to + " failed though nothing has: " + e.getMessage());
            }
            if (e.getMessage().contains("no answer: ") && !from.isGone() && !hasLongPause()) {
                violate(what + " from " + from + " to " + to + " heard nothing: " + e.getMessage());
            }
        } catch (OutOfArenaMemoryException e) {
            if (isMemorySure()) {
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

    void tally(String what) {
        tally.add(what);
    }

    @Override
    public long nowNs() {
        return simulation.deviceNs();
    }

    @Override
    public Random random() {
        return random;
    }

    @Override
    public boolean isMemorySure() {
        return plan.get(Fault.FAILED_REGISTRATION_ONE_IN) == 0;
    }

    /** Whether nothing has happened that lets anything fail between them. */
    boolean isHarmless(SimDevice from, SimDevice to) {
        return plan.incidents().isEmpty() && isMemorySure() && plan.get(Fault.COMPLETION_COUNT_MAX) == 0
                && !from.hasEnded() && !to.hasEnded();
    }

    private boolean hasLongPause() {
        return plan.incidents().stream().anyMatch(each -> each.lengthNs() == LONG_PAUSE_NS);
    }

    @Override
    public void violate(String what) {
        violations.add(what);
    }

    private void check() {
        if (!violations.isEmpty()) {
            throw new AssertionError("found");
        }
    }
}
