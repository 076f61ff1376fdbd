package dev.verbena.graph.run.edge;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

import dev.verbena.graph.plan.CrossingEdge;
import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.graph.run.memory.TestAllocator;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Slab;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TransferException;

/**
 * Both ends of a crossing edge in one process: {@code depth} slots, filled by the sender, freed by the receiver's close. Of a tensor whose shape only
 * the run tells, a slot is no more than the right to allocate one.
 */
public final class LoopbackEdge implements OutgoingEdge, IncomingEdge {
    private final Deque<Slab> freeSlots = new ArrayDeque<>();
    private int freeSlotCount;
    /** Empty where there is a dead tensor. */
    private final Deque<Optional<Tensor>> arrived = new ArrayDeque<>();
    private final TestAllocator slots;
    private final CrossingEdge edge;
    private final Predicate<Tensor> registered;
    private final Executor completing;
    private final Runnable onChange;
    /** Lent to the sender, to be computed; null if none is. */
    private Tensor placed;
    private String failure;
    private int backPressured;
    private int offers;
    private int copies;

    /** @param completing where callbacks run */
    public LoopbackEdge(CrossingEdge edge, int depth, TestAllocator slots, Predicate<Tensor> registered,
            Executor completing, Runnable onChange) {
        this.edge = edge;
        this.slots = slots;
        this.freeSlotCount = depth;
        this.registered = registered;
        this.completing = completing;
        this.onChange = onChange;
        for (int i = 0; i < depth && edge.isStatic(); i++) {
            freeSlots.add(slots.allocate(edge.type().elementType(), TransferPlan.shape(edge)).slab());
        }
    }

    @Override
    public boolean isRegistered(Tensor tensor) {
        return registered.test(tensor) || isPlaced(tensor);
    }

    private synchronized boolean isPlaced(Tensor tensor) {
        return placed != null && placed.slab() == tensor.slab();
    }

    @Override
    public synchronized Tensor place() {
        if (failure != null || freeSlots.isEmpty()) {
            return null;
        }
        if (placed != null) {
            throw new IllegalStateException("placed twice: " + edge);
        }
        placed = Tensor.over(freeSlots.peek(), 0, edge.type().elementType(), TransferPlan.shape(edge),
                () -> placed = null);
        return placed;
    }

    /** The slot is the receiver's from now on, whose content the sender's tensor must not see any more. */
    private synchronized void handOver(SendCallback callback) {
        freeSlotCount--;
        placed = null;
        arrived.add(Optional.of(inSlot()));
        callback.onComplete(null);
        onChange.run();
    }

    @Override
    public SendResult offer(Tensor tensor, SendCallback callback) {
        if (isPlaced(tensor)) {
            offers++;
            completing.execute(() -> handOver(callback));
            return SendResult.SENT;
        }
        if (!registered.test(tensor)) {
            throw new IllegalArgumentException("not registered: " + tensor);
        }
        synchronized (this) {
            offers++;
            if (failure != null) {
                throw new TransferException(failure);
            }
            if (freeSlotCount == 0) {
                backPressured++;
                return SendResult.BACK_PRESSURED;
            }
        }
        TensorLease lease = TensorLease.of(tensor);
        completing.execute(() -> write(lease, callback));
        return SendResult.SENT;
    }

    @Override
    public SendResult offerDead(SendCallback callback) {
        if (edge.isStatic()) {
            throw new IllegalStateException("a dead tensor along " + edge);
        }
        synchronized (this) {
            if (freeSlotCount == 0) {
                backPressured++;
                return SendResult.BACK_PRESSURED;
            }
            freeSlotCount--;
        }
        completing.execute(() -> {
            synchronized (this) {
                arrived.add(Optional.empty());
            }
            callback.onComplete(null);
            onChange.run();
        });
        return SendResult.SENT;
    }

    private void write(TensorLease lease, SendCallback callback) {
        MemorySegment bytes = lease.memory();
        synchronized (this) {
            freeSlotCount--;
            Tensor received = edge.isStatic() ? inSlot() : allocated(lease.tensor().shape());
            received.memory().copyFrom(bytes);
            arrived.add(Optional.of(received));
        }
        lease.close();
        callback.onComplete(null);
        onChange.run();
    }

    private Tensor inSlot() {
        Slab slot = freeSlots.pop();
        return Tensor.over(slot, 0, edge.type().elementType(), TransferPlan.shape(edge), () -> acknowledge(slot));
    }

    private Tensor allocated(Shape shape) {
        Tensor room = slots.allocate(edge.type().elementType(), shape);
        return Tensor.over(room.slab(), 0, room.type(), shape, () -> {
            room.close();
            acknowledge(null);
        });
    }

    @Override
    public SendResult offerCopied(Tensor copy, SendCallback callback) {
        SendResult result = offer(copy, callback);
        if (result == SendResult.SENT) {
            synchronized (this) {
                copies++;
            }
        }
        return result;
    }

    @Override
    public synchronized Tensor poll() {
        if (failure != null) {
            throw new TransferException(failure);
        }
        return arrived.isEmpty() || arrived.peek().isEmpty() ? null : arrived.poll().get();
    }

    @Override
    public synchronized boolean pollDead() {
        boolean isDead = !arrived.isEmpty() && arrived.peek().isEmpty();
        if (isDead) {
            arrived.poll();
            acknowledge(null);
        }
        return isDead;
    }

    /** @param slot null if it was allocated as it came */
    private void acknowledge(Slab slot) {
        synchronized (this) {
            if (slot != null) {
                slot.memory().fill((byte) 0x77);
                freeSlots.add(slot);
            }
            freeSlotCount++;
        }
        onChange.run();
    }

    public synchronized void fail(String cause) {
        failure = cause;
    }

    public synchronized int backPressured() {
        return backPressured;
    }

    public synchronized int copies() {
        return copies;
    }

    public synchronized int freeSlots() {
        return freeSlotCount;
    }
}
