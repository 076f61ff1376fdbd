package dev.verbena.testing.program;

import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Group;
import dev.verbena.transfer.TransferException;

/**
 * What one member of a group does with the others, several operations under way: each ends, with the result that it must have, to the bit,
 * or with an error of the group.
 *
 * <p><b>Owner:</b> the program. <b>Threading:</b> the program's thread; stages complete on any.
 */
final class GroupEnd {
    private static final String NAME = "g";
    private static final Duration TIMEOUT = Duration.ofSeconds(100);

    private final World world;
    private final Host host;
    private final int rank;
    private final Iterator<Collective> operations;
    private final Consumer<TransferException> onFailure;
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger succeeded = new AtomicInteger();
    private Group group;
    private boolean isClosed;

    GroupEnd(World world, Host host, int rank, List<Collective> operations, Consumer<TransferException> onFailure) {
        this.world = world;
        this.host = host;
        this.rank = rank;
        this.operations = operations.iterator();
        this.onFailure = onFailure;
    }

    /** Waits for the others, if there is anything to do. */
    void join(List<Endpoint> members) {
        if (operations.hasNext()) {
            group = host.device().group(NAME, rank, members, host.arena(), Collective.OPTIONS);
            group.join(TIMEOUT);
        }
    }

    /** Begins the next operation, now and then. */
    void takeTurn() {
        if (group != null && !isClosed && operations.hasNext() && world.random().nextInt(4) == 0) {
            begin(operations.next());
        }
    }

    private void begin(Collective operation) {
        underWay.incrementAndGet();
        Tensor tensor = null;
        try {
            switch (operation.kind()) {
                case "barrier" -> hear(group.barrierAsync(TIMEOUT).toCompletableFuture(), done -> {});
                case "gather" -> hear(group.allGatherAsync(operation.given(rank), TIMEOUT).toCompletableFuture(),
                        gathered -> check(operation, gathered));
                default -> {
                    tensor = host.arena().allocate(operation.type(), Shape.of(operation.count()));
                    begin(operation, tensor);
                }
            }
        } catch (TransferException e) {
            if (tensor != null) {
                tensor.close();
            }
            fail(e);
            underWay.decrementAndGet();
        }
    }

    private void begin(Collective operation, Tensor tensor) {
        operation.fill(tensor.memory(), rank);
        CompletableFuture<Void> stage = (operation.kind().equals("reduce")
                ? group.allReduceAsync(tensor, operation.reduction(), TIMEOUT)
                : group.broadcastAsync(tensor, operation.root(), TIMEOUT)).toCompletableFuture();
        hear(stage.whenComplete((done, e) -> {
            if (e == null) {
                attempt(() -> operation.check(tensor.memory(), toString()));
            }
            tensor.close();
        }), done -> {});
    }

    private <T> void hear(CompletableFuture<T> stage, Consumer<T> checking) {
        stage.whenComplete((result, e) -> {
            if (e == null) {
                attempt(() -> checking.accept(result));
                succeeded.incrementAndGet();
            } else {
                fail(e instanceof CompletionException ? e.getCause() : e);
            }
            underWay.decrementAndGet();
        });
    }

    private void check(Collective operation, List<byte[]> gathered) {
        for (int other = 0; other < gathered.size(); other++) {
            if (!Arrays.equals(operation.given(other), gathered.get(other))) {
                throw new AssertionError(this + " has not gathered what rank " + other + " gave");
            }
        }
    }

    private void attempt(Runnable check) {
        try {
            check.run();
        } catch (AssertionError e) {
            world.violate(e.getMessage());
        }
    }

    private void fail(Throwable e) {
        if (e instanceof TransferException failure && e.getMessage().contains("group '" + NAME + "' rank")) {
            onFailure.accept(failure);
        } else {
            world.violate(this + " ends otherwise: " + e);
        }
    }

    /** Whether all that it was to do has ended, well or not. */
    boolean isDone() {
        return (group == null || isClosed || !operations.hasNext()) && underWay.get() == 0;
    }

    /** Operations that have ended well. */
    int succeeded() {
        return succeeded.get();
    }

    /** What is under way fails. */
    void close() {
        isClosed = true;
        if (group != null) {
            group.close();
        }
    }

    /** After its end. */
    void checkEnd() {
        if (underWay.get() != 0) {
            world.violate(this + " has operations=" + underWay + " that have not ended");
        }
    }

    @Override
    public String toString() {
        return "member " + rank;
    }
}
