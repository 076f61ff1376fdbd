package dev.verbena.transfer;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.group.Collectives;
import dev.verbena.transfer.group.Operation;

/**
 * A named set of devices, each with a rank, that do something together: gather, wait for each other, broadcast, reduce.
 *
 * <p>All members call the same operations, of the same types and sizes, in the same order. If one does something else, is lost, leaves, or
 * is late, the group has failed: that operation and all that follow throw {@link TransferException} at every member, with what has happened
 * first and the rank where it has. It is closed then, and may be made anew.
 *
 * <p>A tensor that lies in memory registered with the device is sent from where it lies, but for reductions of up to 4064 bytes, which
 * travel in one message to each member; others are copied into the arena and back. Reductions have the same bits at all members. Nobody else
 * touches a tensor meanwhile. The members write to the tensors of large reductions: if one fails, its bytes may change, and its memory stays what it is,
 * until the group is closed.
 *
 * <p>Each timeout counts from the call, and with it what was called before. Who waits spins before it sleeps, as {@link Progress} says, but not
 * where more members have the same host than that has processors.
 *
 * <p><b>Owner:</b> who made it with {@link RdmaDevice#group}; closed before its arena. <b>Threading:</b> thread-safe; operations are done in
 * the order of the calls, which therefore are made by one thread.
 */
public final class Group implements AutoCloseable {
    private final RdmaDevice device;
    private final String name;
    private final int rank;
    private final List<Endpoint> members;
    private final TensorArena arena;
    private final Collectives protocol;
    private final int spinsMax;

    Group(RdmaDevice device, String name, int rank, List<Endpoint> members, TensorArena arena, Collectives protocol) {
        this.device = device;
        this.name = name;
        this.rank = rank;
        this.members = members;
        this.arena = arena;
        this.protocol = protocol;
        // Who spins where members share processors has one that another member needs.
        spinsMax = protocol.isCrowded() ? 0 : Integer.MAX_VALUE;
    }

    /** The same at all members; a device is in no two groups of one name at a time. */
    public String name() {
        return name;
    }

    /** From 0; where this device stands among the members. */
    public int rank() {
        return rank;
    }

    /** How many members there are. */
    public int size() {
        return members.size();
    }

    /**
     * Waits until all other members have made their group; before the first operation, and once. Where callers drive ({@link Progress}), call an
     * operation soon afterwards, such as {@link #barrier}: others that still join are answered only while this one waits.
     *
     * @throws TransferException if one is not there in time, or has made another group of that name
     */
    public void join(Duration timeout) {
        device.requireWaiting();
        protocol.join(device::peer, timeout);
    }

    /**
     * Replaces each element by the reduction of those that the members have there.
     *
     * @param tensor of FLOAT64, FLOAT32, FLOAT16, BFLOAT16, INT32 or INT64; any shape, with the same number of elements everywhere
     * @throws TransferException if the group fails
     * @throws IllegalArgumentException if elements of the type are not reduced so
     */
    public void allReduce(Tensor tensor, Reduction reduction, Duration timeout) {
        device.requireWaiting();
        if (mustStage(tensor, Collectives.sendsTensor(tensor.byteSize()))) {
            try (Tensor staged = stage(tensor)) {
                complete(protocol.allReduce(staged, reduction), timeout);
                giveBack(staged, tensor);
            }
        } else {
            complete(protocol.allReduce(tensor, reduction), timeout);
        }
    }

    /** As {@link #allReduce}, without waiting: the stage completes on a thread that may wait. */
    public CompletionStage<Void> allReduceAsync(Tensor tensor, Reduction reduction, Duration timeout) {
        boolean isStaged = mustStage(tensor, Collectives.sendsTensor(tensor.byteSize()));
        Tensor sent = isStaged ? stage(tensor) : tensor;
        return completing(offering(sent, tensor, () -> protocol.allReduce(sent, reduction)), sent, tensor, timeout);
    }

    /**
     * Replaces the tensor's bytes by those that it has at the root.
     *
     * @param tensor of any type, with the same number of elements everywhere
     * @throws TransferException if the group fails; the root, who waits for nobody, may hear of it only in a later operation
     */
    public void broadcast(Tensor tensor, int root, Duration timeout) {
        device.requireWaiting();
        Objects.checkIndex(root, members.size());
        if (mustStage(tensor, true)) {
            try (Tensor staged = stage(tensor)) {
                complete(protocol.broadcast(staged, root), timeout);
                giveBack(staged, tensor);
            }
        } else {
            complete(protocol.broadcast(tensor, root), timeout);
        }
    }

    /** As {@link #broadcast}, without waiting: the stage completes on a thread that may wait. */
    public CompletionStage<Void> broadcastAsync(Tensor tensor, int root, Duration timeout) {
        Objects.checkIndex(root, members.size());
        Tensor sent = mustStage(tensor, true) ? stage(tensor) : tensor;
        return completing(offering(sent, tensor, () -> protocol.broadcast(sent, root)), sent, tensor, timeout);
    }

    /** Waits until all members have called it. */
    public void barrier(Duration timeout) {
        device.requireWaiting();
        complete(protocol.barrier(), timeout);
    }

    /** As {@link #barrier}, without waiting: the stage completes on a thread that may wait. */
    public CompletionStage<Void> barrierAsync(Duration timeout) {
        Operation operation = protocol.barrier();
        return device.elsewhere(() -> {
            complete(operation, timeout);
            return null;
        });
    }

    /**
     * What each member gives, by rank; for what is needed to begin with, such as addresses. Of any length, each of its own.
     *
     * @throws TransferException if the group fails
     */
    public List<byte[]> allGather(byte[] bytes, Duration timeout) {
        device.requireWaiting();
        return gathered(protocol.allGather(bytes), timeout);
    }

    /** As {@link #allGather}, without waiting: the stage completes on a thread that may wait. */
    public CompletionStage<List<byte[]>> allGatherAsync(byte[] bytes, Duration timeout) {
        Operation operation = protocol.allGather(bytes);
        return device.elsewhere(() -> gathered(operation, timeout));
    }

    private List<byte[]> gathered(Operation operation, Duration timeout) {
        byte[][] gathered = operation.gathered();
        complete(operation, timeout);
        return List.of(gathered);
    }

    private void complete(Operation operation, Duration timeout) {
        if (!device.awaitWrite(operation, timeout, spinsMax)) {
            protocol.failLate(operation, timeout + (Thread.currentThread().isInterrupted() ? ", interrupted" : ""));
            device.awaitEnd(operation::isDone);
        }
        try {
            operation.check();
        } finally {
            if (operation.isDone()) {
                protocol.giveBack(operation);
            }
        }
    }

    // ---- tensors that are not registered ----

    private boolean mustStage(Tensor tensor, boolean isSent) {
        return isSent && members.size() > 1 && !device.isRegistered(tensor.slab());
    }

    private Tensor stage(Tensor tensor) {
        Tensor staged = arena.allocate(tensor.type(), tensor.shape());
        staged.memory().copyFrom(tensor.memory());
        protocol.onCopy(tensor.byteSize());
        return staged;
    }

    private void giveBack(Tensor staged, Tensor tensor) {
        tensor.memory().copyFrom(staged.memory());
        protocol.onCopy(tensor.byteSize());
    }

    private Operation offering(Tensor sent, Tensor tensor, Supplier<Operation> offer) {
        try {
            return offer.get();
        } catch (RuntimeException e) {
            if (sent != tensor) {
                sent.close();
            }
            throw e;
        }
    }

    private CompletionStage<Void> completing(Operation operation, Tensor sent, Tensor tensor, Duration timeout) {
        return device.elsewhere(() -> {
            try {
                complete(operation, timeout);
                if (sent != tensor) {
                    giveBack(sent, tensor);
                }
            } finally {
                if (sent != tensor) {
                    sent.close();
                }
            }
            return null;
        });
    }

    /** Whether an operation has failed, here or at another member, so that none succeeds any more. Its tensor may be pinned until this is closed. */
    public boolean hasFailed() {
        return protocol.hasFailed();
    }

    /** Leaves the group: what is under way fails, and waits until nobody writes here any more. The others fail as soon as they need this one. */
    @Override
    public void close() {
        protocol.close();
    }

    @Override
    public String toString() {
        return "group '" + name + "' rank " + rank + " of " + members.size();
    }
}
