package dev.verbena.testing.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.testing.program.Collective;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Group;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
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
    private static final int FIRST_PORT = 4_000;
    private static final int OPERATIONS = 6;
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
            Collective planned = Collective.random(random, size);
            for (Member member : members) {
                member.offer(i == wrongAt && member.rank == size - 1 ? planned.other() : planned);
            }
            simulation.run(random.nextInt(20_000));
        }
        // The root of a broadcast waits for nobody: it hears of a failure here at the latest.
        Collective last = Collective.barrier(size);
        members.forEach(member -> member.offer(last));
        end(random.nextBoolean());
        if (isOneWrong && members.stream().anyMatch(member -> member.failures == 0 && member.isAlive())) {
            throw new AssertionError("a member has not heard that another did something else");
        }
        isOver = true;
    }

    /** Each leaves as soon as it is through, while others are not yet, or all together. */
    private void end(boolean leaveOneByOne) {
        List<Member> staying = new ArrayList<>(members);
        while (!staying.isEmpty()) {
            if (!simulation.runUntil(() -> leaveOneByOne ? staying.stream().anyMatch(Member::isDone)
                    : staying.stream().allMatch(Member::isDone), 4 * TIMEOUT.toNanos())) {
                throw new AssertionError("operations do not end");
            }
            List<Member> leaving = staying.stream().filter(Member::isDone).toList();
            staying.removeAll(leaving);
            leaving.forEach(Member::check);
            leaving.forEach(Member::close);
        }
        members.forEach(Member::check);
    }

    private void takeTurns(Member member) {
        if (isOver || member.isClosed || !member.isAlive()) {
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
        private boolean isClosed;

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
                group = device.group("g", rank, endpoints, arena, Collective.OPTIONS);
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

        void offer(Collective planned) {
            stepNs = simulation.deviceNs();
            attempt(planned.toString(), () -> begin(planned));
        }

        private void begin(Collective planned) {
            tally.add(planned.kind());
            switch (planned.kind()) {
                case "barrier" -> heard(planned, group.barrierAsync(TIMEOUT).toCompletableFuture(), result -> {});
                case "gather" -> heard(planned,
                        group.allGatherAsync(planned.given(rank), TIMEOUT).toCompletableFuture(), result -> {
                            for (int other = 0; other < size; other++) {
                                if (!Arrays.equals(planned.given(other), result.get(other))) {
                                    throw new AssertionError(this + " has not gathered what rank " + other + " gave");
                                }
                            }
                        });
                default -> begin(planned, arena.allocate(planned.type(), Shape.of(planned.count())));
            }
        }

        private void begin(Collective planned, Tensor tensor) {
            try {
                planned.fill(tensor.memory(), rank);
                CompletableFuture<Void> stage = (planned.kind().equals("reduce")
                        ? group.allReduceAsync(tensor, planned.reduction(), TIMEOUT)
                        : group.broadcastAsync(tensor, planned.root(), TIMEOUT)).toCompletableFuture();
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

        private <T> void heard(Collective planned, CompletableFuture<T> stage, Consumer<T> checking) {
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
            isClosed = true;
            device.close();
        }

        @Override
        public String toString() {
            return "d" + rank;
        }
    }
}
