package dev.verbena.testing.sim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Group;
import dev.verbena.transfer.GroupOptions;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.Reduction;
import dev.verbena.transfer.TransferException;

/**
 * A group of two to four devices as they ship, in one simulation, that reduces, broadcasts, gathers and waits at random, the same everywhere
 * but where one member is to be wrong. Whatever happens, each operation ends at each member that lives: as it must, to the bit, or with an
 * error of the group.
 *
 * <p><b>Owner:</b> the test. <b>Threading:</b> one thread.
 */
public final class GroupProgram {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final GroupOptions OPTIONS = new GroupOptions(4096, 2);
    private static final int FIRST_PORT = 4_000;
    private static final int OPERATIONS = 6;
    private static final int SMALL_COUNT_MAX = 1016;
    private static final int LARGE_COUNT_MAX = 4_000;
    private static final int TURNS_MAX = 400_000;
    /** What is never the result of anything. */
    private static final byte USED = 0x7E;

    private final Random random;
    private final FaultPlan plan;
    private final Simulation simulation;
    private final Tally tally;
    private final List<Member> members = new ArrayList<>();
    private final boolean isOneWrong;
    private long stepNs;
    private int turns;
    private boolean isOver;

    private GroupProgram(long seed, FaultPlan plan, Tally tally) {
        this.plan = plan;
        this.tally = tally;
        random = Chance.random(seed * 41);
        simulation = new Simulation(seed, plan);
        isOneWrong = random.nextInt(4) == 0;
    }

    /** Random faults, often messages so small that a chunk takes several. */
    static FaultPlan plan(long seed) {
        FaultPlan plan = (seed % 3 == 0 ? FaultPlan.harmless(seed) : FaultPlan.random(seed))
                .with(Fault.FAILED_REGISTRATION_ONE_IN, 0);
        return seed % 2 == 0 ? plan : plan.with(Fault.MESSAGE_BYTE_SIZE_MAX, 512);
    }

    /** @return what the run is known by */
    public static long run(long seed) {
        return run(seed, new Tally());
    }

    static long run(long seed, Tally tally) {
        GroupProgram program = new GroupProgram(seed, plan(seed), tally);
        try (program.simulation) {
            program.run();
        } catch (Throwable e) {
            throw program.failed(e.toString(), e);
        }
        if (!program.simulation.holdings().isEmpty()) {
            throw program.failed(program.simulation.holdings().toString(), null);
        }
        tally.add(program.simulation);
        return program.simulation.fingerprint();
    }

    private AssertionError failed(String what, Throwable cause) {
        return new AssertionError(what + "\n" + simulation + "\n" + String.join("\n", simulation.history()), cause);
    }

    private void run() {
        int size = 2 + random.nextInt(3);
        for (int rank = 0; rank < size; rank++) {
            members.add(new Member(rank, size));
        }
        members.forEach(this::takeTurns);
        members.forEach(Member::begin);
        members.forEach(Member::join);
        int wrongAt = isOneWrong ? random.nextInt(OPERATIONS) : OPERATIONS;
        for (int i = 0; i < OPERATIONS; i++) {
            Planned planned = Planned.random(random, size);
            for (Member member : members) {
                member.offer(i == wrongAt && member.rank == size - 1 ? planned.other() : planned);
            }
            simulation.run(random.nextInt(20_000));
        }
        // The root of a broadcast waits for nobody: it hears of a failure here at the latest.
        Planned last = new Planned("barrier", ElementType.INT64, 0, 0, Reduction.SUM, 0, size);
        members.forEach(member -> member.offer(last));
        if (!simulation.runUntil(() -> members.stream().allMatch(Member::isDone), 4 * TIMEOUT.toNanos())) {
            throw new AssertionError("operations do not end");
        }
        members.forEach(Member::check);
        if (isOneWrong && members.stream().anyMatch(member -> member.failures == 0 && member.isAlive())) {
            throw new AssertionError("a member has not heard that another did something else");
        }
        members.forEach(Member::close);
        isOver = true;
    }

    private void takeTurns(Member member) {
        if (isOver || !member.isAlive()) {
            return;
        }
        if (++turns > TURNS_MAX) {
            throw new AssertionError("it does not end: turns=" + turns);
        }
        if (!simulation.isPolling() && !member.fabric.process().isStill()) {
            member.device.progress();
        }
        // The longer the program waits for something, the less often; else long waits would take long.
        long pause = 500 + random.nextInt(4_000) + (simulation.deviceNs() - stepNs) / 100;
        simulation.schedule(pause, member + " has its turn", () -> takeTurns(member));
    }

    private boolean isHarmless() {
        return plan.incidents().isEmpty() && plan.get(Fault.COMPLETION_COUNT_MAX) == 0;
    }

    /** An operation as it is planned for all; {@code seed} makes what each has. */
    private record Planned(String kind, ElementType type, int count, int root, Reduction reduction, long seed,
            int size) {
        private static final List<ElementType> TYPES = List.of(ElementType.FLOAT32, ElementType.FLOAT64,
                ElementType.INT64);

        static Planned random(Random random, int size) {
            int what = random.nextInt(16);
            String kind = what < 12 ? "reduce" : what < 14 ? "broadcast" : what == 14 ? "gather" : "barrier";
            ElementType type = TYPES.get(random.nextInt(TYPES.size()));
            int count = random.nextInt(random.nextBoolean() ? SMALL_COUNT_MAX : LARGE_COUNT_MAX);
            return new Planned(kind, type, count, random.nextInt(size),
                    type == ElementType.INT64 || random.nextBoolean() ? Reduction.SUM : Reduction.MEAN,
                    random.nextLong(), size);
        }

        /** What no other does at the same time. */
        Planned other() {
            return kind.equals("reduce") ? new Planned(kind, type, count + 1, root, reduction, seed, size)
                    : new Planned("reduce", type, 10, root, Reduction.SUM, seed, size);
        }

        /** What a rank has, as doubles that are far apart, so that the order of sums shows. */
        private double value(int rank, int i) {
            long bits = (seed + 1_000_003L * rank + i) * 0x9E37_79B9_7F4A_7C15L;
            bits = (bits ^ bits >>> 29) * 0xBF58_476D_1CE4_E5B9L;
            return type == ElementType.INT64 ? bits >> 24 : (bits >> 24) * Math.scalb(1.0, (int) (bits & 31) - 40);
        }

        void fill(MemorySegment memory, int rank) {
            for (int i = 0; i < count; i++) {
                double value = value(rank, i);
                switch (type) {
                    case FLOAT32 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) value);
                    case FLOAT64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
                    default -> memory.setAtIndex(ValueLayout.JAVA_LONG, i, (long) value);
                }
            }
        }

        /** Whose term is the first; the others follow in the order of ranks. */
        private int firstTerm(int i) {
            long byteSize = type.byteSize(count);
            return byteSize <= SMALL_COUNT_MAX * 4L ? 0 : (int) (i / Math.ceilDiv((long) count, size));
        }

        /** Element i of the result, in bits. */
        long expected(int i) {
            if (kind.equals("broadcast")) {
                return bits(value(root, i));
            }
            int first = firstTerm(i);
            return switch (type) {
                case FLOAT32 -> {
                    float sum = (float) value(first, i);
                    for (int k = 1; k < size; k++) {
                        sum += (float) value((first + k) % size, i);
                    }
                    yield Float.floatToRawIntBits(reduction == Reduction.MEAN ? sum / size : sum);
                }
                case FLOAT64 -> {
                    double sum = value(first, i);
                    for (int k = 1; k < size; k++) {
                        sum += value((first + k) % size, i);
                    }
                    yield Double.doubleToRawLongBits(reduction == Reduction.MEAN ? sum / size : sum);
                }
                default -> {
                    long sum = 0;
                    for (int rank = 0; rank < size; rank++) {
                        sum += (long) value(rank, i);
                    }
                    yield sum;
                }
            };
        }

        private long bits(double value) {
            return switch (type) {
                case FLOAT32 -> Float.floatToRawIntBits((float) value);
                case FLOAT64 -> Double.doubleToRawLongBits(value);
                default -> (long) value;
            };
        }

        private long actual(MemorySegment memory, int i) {
            return type == ElementType.FLOAT32 ? memory.getAtIndex(ValueLayout.JAVA_INT, i)
                    : memory.getAtIndex(ValueLayout.JAVA_LONG, i);
        }

        void check(MemorySegment memory, String who) {
            for (int i = 0; i < count; i++) {
                if (actual(memory, i) != expected(i)) {
                    throw new AssertionError(who + " has a wrong element " + i + " of " + this);
                }
            }
        }

        byte[] given(int rank) {
            byte[] bytes = new byte[count + rank];
            Chance.random(seed + rank).nextBytes(bytes);
            return bytes;
        }
    }

    /** A device, its group and what it has begun. */
    private final class Member {
        private final int rank;
        private final int size;
        private final SimFabric fabric = simulation.openFabric();
        private final RdmaDevice device;
        private final List<CompletableFuture<?>> stages = new ArrayList<>();
        private TensorArena arena;
        private Group group;
        private int failures;
        private AssertionError wrong;

        Member(int rank, int size) {
            this.rank = rank;
            this.size = size;
            device = RdmaDevice.create(RdmaDeviceOptions.defaults().withName("d" + rank)
                    .withLocalEndpoint(new Endpoint("localhost", FIRST_PORT + rank))
                    .withProgress(Progress.callers().withSpins(4)).withQueueDepth(4), fabric);
        }

        boolean isAlive() {
            return fabric.isAlive();
        }

        void begin() {
            if (isAlive()) {
                List<Endpoint> endpoints = new ArrayList<>();
                members.forEach(each -> endpoints.add(new Endpoint("localhost", FIRST_PORT + each.rank)));
                arena = TensorArena.create(device.slabSource(), 1 << 20, 1 << 22);
                group = device.group("g", rank, endpoints, arena, OPTIONS);
            }
        }

        void join() {
            stepNs = simulation.deviceNs();
            attempt("join", () -> group.join(TIMEOUT));
        }

        private void attempt(String what, Runnable action) {
            if (!isAlive()) {
                return;
            }
            try {
                action.run();
            } catch (TransferException e) {
                hear(what, e);
            } catch (IllegalStateException e) {
                if (isAlive()) {
                    throw e;
                }
            }
        }

        void offer(Planned planned) {
            stepNs = simulation.deviceNs();
            attempt(planned.toString(), () -> begin(planned));
        }

        private void begin(Planned planned) {
            tally.add(planned.kind);
            switch (planned.kind) {
                case "barrier" -> heard(planned, group.barrierAsync(TIMEOUT).toCompletableFuture(), result -> {});
                case "gather" -> heard(planned,
                        group.allGatherAsync(planned.given(rank), TIMEOUT).toCompletableFuture(), result -> {
                            for (int other = 0; other < size; other++) {
                                if (!Arrays.equals(planned.given(other), result.get(other))) {
                                    throw new AssertionError(this + " has not gathered what rank " + other + " gave");
                                }
                            }
                        });
                default -> begin(planned, arena.allocate(planned.type, Shape.of(planned.count)));
            }
        }

        private void begin(Planned planned, Tensor tensor) {
            try {
                planned.fill(tensor.memory(), rank);
                CompletableFuture<Void> stage = (planned.kind.equals("reduce")
                        ? group.allReduceAsync(tensor, planned.reduction, TIMEOUT)
                        : group.broadcastAsync(tensor, planned.root, TIMEOUT)).toCompletableFuture();
                heard(planned, stage.whenComplete((result, e) -> {
                    if (e != null) {
                        tensor.close();
                    }
                }), result -> {
                    planned.check(tensor.memory(), toString());
                    // It is the user's again.
                    tensor.memory().fill(USED);
                    tensor.close();
                });
            } catch (TransferException e) {
                tensor.close();
                throw e;
            }
        }

        private <T> void heard(Planned planned, CompletableFuture<T> stage, Consumer<T> checking) {
            stages.add(stage.handle((result, e) -> {
                if (e == null) {
                    try {
                        checking.accept(result);
                        tally.add("done");
                    } catch (AssertionError found) {
                        wrong = wrong == null ? found : wrong;
                    }
                } else {
                    hear(planned.toString(), e instanceof CompletionException ? e.getCause() : e);
                }
                return null;
            }));
        }

        private void hear(String what, Throwable e) {
            failures++;
            tally.add("failures");
            String message = e.getMessage();
            if (!(e instanceof TransferException) || !message.contains("group 'g' rank")) {
                wrong = new AssertionError(this + " " + what + " ends otherwise: " + e, e);
            } else if (isHarmless() && (!isOneWrong || !message.contains(" offers "))) {
                wrong = new AssertionError(this + " " + what + " failed though nothing has: " + message, e);
            }
        }

        boolean isDone() {
            return !isAlive() || stages.stream().allMatch(CompletableFuture::isDone);
        }

        void check() {
            if (wrong != null) {
                throw wrong;
            }
        }

        void close() {
            if (isAlive() && group != null) {
                group.close();
            }
            if (isAlive() && arena != null) {
                simulation.runUntil(() -> !isAlive() || arena.statistics().liveCount() == 0, TIMEOUT.toNanos());
            }
            if (isAlive() && arena != null) {
                if (arena.statistics().liveCount() > 0) {
                    throw new AssertionError(this + " still has " + arena.liveReport());
                }
                arena.close();
            }
            device.close();
        }

        @Override
        public String toString() {
            return "d" + rank;
        }
    }
}
