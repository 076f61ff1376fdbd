package dev.verbena.testing.sim;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.ForeignMemory;

/**
 * Processes and a network between them in one thread, of which nothing is left to the machine: time is virtual, and what is
 * left to chance a seed decides. The same seed, plan and calls make the same run.
 *
 * <p>Time passes while somebody polls (a little), sleeps in {@code await} or waits for a connection (at once, up to what happens
 * next), or {@link #step steps}. What peers do, and calls of handlers, happen inside these.
 *
 * <p><b>Owner:</b> the test, which closes it. <b>Threading:</b> confined to the thread that made it; others are refused.
 */
public final class Simulation implements AutoCloseable {
    /** What a poll costs. */
    private static final long POLL_NS = 200;
    private static final int HISTORY_COUNT_MAX = 200;

    private final Thread owner = Thread.currentThread();
    private final long seed;
    private final FaultPlan plan;
    private final Chance chance;
    private final Conduct conduct;
    private final SimNetwork network = new SimNetwork();
    private final EventQueue events = new EventQueue();
    private final List<SimFabric> fabrics = new ArrayList<>();
    private final List<MemorySegment> exports = new ArrayList<>();
    private final Deque<String> history = new ArrayDeque<>();
    private final Map<Incident.Kind, Long> incidents = new EnumMap<>(Incident.Kind.class);
    private long deviceNs;
    private long jumpedNs;
    private long fingerprint;
    private boolean isPolling;

    /** At time 0, without processes, the plan's incidents ahead. The seed decides what the plan leaves to chance. */
    public Simulation(long seed, FaultPlan plan) {
        this(seed, plan, new Conduct());
    }

    Simulation(long seed, FaultPlan plan, Conduct conduct) {
        this.seed = seed;
        this.plan = plan;
        this.conduct = conduct;
        chance = new Chance(seed, plan);
        for (Incident incident : plan.incidents()) {
            at(incident.atNs(), incident.toString(), () -> happen(incident));
        }
    }

    /** A process of its own, as far as the network goes. */
    public SimFabric openFabric() {
        checkThread();
        SimFabric fabric = new SimFabric(this, fabrics.size());
        fabrics.add(fabric);
        return fabric;
    }

    /**
     * Memory of a device, which no processor reaches, zeroed; there as long as the simulation is.
     *
     * @return the descriptor by which fabrics import it, a {@link ForeignMemory.DmaBuf}
     */
    public int exportDeviceMemory(long byteSize) {
        checkThread();
        exports.add(Arena.ofAuto().allocate(byteSize));
        return exports.size() - 1;
    }

    /** What {@link System#nanoTime} is elsewhere. */
    public long nanoTime() {
        return deviceNs + jumpedNs;
    }

    /** Lets happen what happens next, whenever that is; false if nothing is under way. */
    public boolean step() {
        checkThread();
        if (events.nextNs() == EventQueue.NEVER) {
            return false;
        }
        runNext();
        return true;
    }

    /** Lets so much time pass. */
    public void run(long durationNs) {
        checkThread();
        long untilNs = plus(deviceNs, durationNs);
        while (events.nextNs() <= untilNs && events.nextNs() != EventQueue.NEVER) {
            runNext();
        }
        deviceNs = Math.max(deviceNs, untilNs);
    }

    /**
     * Lets time pass until it holds, as far as it takes.
     *
     * @return whether it holds; if not, the time is up
     */
    public boolean runUntil(BooleanSupplier condition, long timeoutNs) {
        checkThread();
        long deadlineNs = plus(nanoTime(), timeoutNs);
        while (!condition.getAsBoolean()) {
            long leftNs = deadlineNs - nanoTime();
            if (leftNs <= 0) {
                return false;
            }
            if (events.nextNs() == EventQueue.NEVER || events.nextNs() - deviceNs > leftNs) {
                deviceNs = plus(deviceNs, leftNs);
            } else {
                runNext();
            }
        }
        return true;
    }

    /** Calls it when so much time has passed, from inside a step. */
    public void schedule(long delayNs, String what, Runnable action) {
        checkThread();
        due(delayNs, what, action);
    }

    /** The same, of something that may be called off. */
    EventQueue.Event due(long delayNs, String what, Runnable action) {
        return at(plus(deviceNs, delayNs), what, action);
    }

    /** Of all that has happened; two runs with the same one were the same. */
    public long fingerprint() {
        return fingerprint;
    }

    /** The last 200 things that have happened, each with its time. */
    public List<String> history() {
        return List.copyOf(history);
    }

    /** How often it has happened, for tests that want to be sure of that; of a mere limit or length it is not known, and 0. */
    public long countOf(Fault fault) {
        return chance.countOf(fault);
    }

    /** How often it has happened. */
    public long countOf(Incident.Kind kind) {
        return incidents.getOrDefault(kind, 0L);
    }

    /** What of it is still held, in words; nothing when all fabrics are closed. */
    public List<String> holdings() {
        List<String> held = new ArrayList<>(network.holdings());
        fabrics.forEach(fabric -> held.addAll(fabric.holdings()));
        return held;
    }

    /** Closes its fabrics. Idempotent. */
    @Override
    public void close() {
        checkThread();
        fabrics.forEach(SimFabric::close);
    }

    /** What it takes to run it again. */
    @Override
    public String toString() {
        return "simulation seed=" + seed + " faults: " + plan;
    }

    // ---- for its parts ----

    Chance chance() {
        return chance;
    }

    Conduct conduct() {
        return conduct;
    }

    FaultPlan plan() {
        return plan;
    }

    List<SimFabric> fabrics() {
        return fabrics;
    }

    MemorySegment deviceMemory(ForeignMemory.DmaBuf buffer) {
        if (buffer.descriptor() >= exports.size()
                || buffer.offset() + buffer.byteSize() > exports.get(buffer.descriptor()).byteSize()) {
            throw new TransferException(
                    this + " knows no such memory as " + buffer + "; give what exportDeviceMemory did");
        }
        return exports.get(buffer.descriptor()).asSlice(buffer.offset(), buffer.byteSize());
    }

    SimNetwork network() {
        return network;
    }

    /** What goes on in devices and on the way between them; no clock of a process jumps with it. */
    long deviceNs() {
        return deviceNs;
    }

    EventQueue.Event at(long atNs, String what, Runnable action) {
        return events.add(atNs, what, action);
    }

    /** After as long as chance will have it. */
    void later(String what, Runnable action) {
        at(deviceNs + chance.delayNs(), what, action);
    }

    /** Up to what happens next, that included, or so long. */
    void pass(long durationNs) {
        long untilNs = plus(deviceNs, durationNs);
        if (events.nextNs() <= untilNs) {
            runNext();
        } else {
            deviceNs = untilNs;
        }
    }

    void passPoll() {
        boolean wasPolling = isPolling;
        isPolling = true;
        try {
            run(POLL_NS);
        } finally {
            isPolling = wasPolling;
        }
    }

    /** Whether somebody polls at present: who waits now keeps him from going on. */
    boolean isPolling() {
        return isPolling;
    }

    /** Something that belongs to what makes this run different from others. */
    void note(String what) {
        fingerprint = (fingerprint * 31 + deviceNs) * 31 + what.hashCode();
        if (history.size() == HISTORY_COUNT_MAX) {
            history.removeFirst();
        }
        history.addLast(deviceNs + " " + what);
    }

    void checkThread() {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException(this + " belongs to " + owner + ", and not to " + Thread.currentThread()
                    + ": let one thread do everything");
        }
    }

    private void runNext() {
        EventQueue.Event event = events.take();
        deviceNs = Math.max(deviceNs, event.atNs);
        note(event.what);
        event.run();
    }

    private void happen(Incident incident) {
        if (incident.kind() == Incident.Kind.JUMP) {
            jumpedNs += incident.lengthNs();
        } else if (incident.process() < fabrics.size()) {
            fabrics.get(incident.process()).happen(incident);
        } else {
            return;
        }
        incidents.merge(incident.kind(), 1L, Long::sum);
    }

    private static long plus(long ns, long durationNs) {
        long sum = ns + Math.max(durationNs, 0);
        return sum < ns ? EventQueue.NEVER - 1 : sum;
    }
}
