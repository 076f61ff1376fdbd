package dev.verbena.graph;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

import dev.verbena.memory.Slab;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TransferException;

/** Both ends of a crossing edge in one process: {@code depth} slots, filled by the sender, freed by the receiver's close. */
final class LoopbackEdge implements OutgoingEdge, IncomingEdge {
    private final Deque<Slab> freeSlots = new ArrayDeque<>();
    private final Deque<Slab> fullSlots = new ArrayDeque<>();
    private final CrossingEdge edge;
    private final TestAllocator staging;
    private final Predicate<Tensor> registered;
    private final Executor completing;
    private final Runnable onChange;
    private String failure;
    private int backPressured;
    private int offers;
    private int copies;

    /** @param completing where callbacks run */
    LoopbackEdge(CrossingEdge edge, int depth, TestAllocator slots, TestAllocator staging, Predicate<Tensor> registered,
            Executor completing, Runnable onChange) {
        this.edge = edge;
        this.staging = staging;
        this.registered = registered;
        this.completing = completing;
        this.onChange = onChange;
        for (int i = 0; i < depth; i++) {
            freeSlots.add(slots.allocate(edge.type().elementType(), TransferPlan.shape(edge)).slab());
        }
    }

    @Override
    public boolean isRegistered(Tensor tensor) {
        return registered.test(tensor);
    }

    @Override
    public SendResult offer(Tensor tensor, SendCallback callback) {
        if (!registered.test(tensor)) {
            throw new IllegalArgumentException("not registered: " + tensor);
        }
        synchronized (this) {
            offers++;
            if (failure != null) {
                throw new TransferException(failure);
            }
            if (freeSlots.isEmpty()) {
                backPressured++;
                return SendResult.BACK_PRESSURED;
            }
        }
        TensorLease lease = TensorLease.of(tensor);
        completing.execute(() -> write(lease, callback));
        return SendResult.SENT;
    }

    private void write(TensorLease lease, SendCallback callback) {
        MemorySegment bytes = lease.memory();
        synchronized (this) {
            Slab slot = freeSlots.pop();
            slot.memory().asSlice(0, bytes.byteSize()).copyFrom(bytes);
            fullSlots.add(slot);
        }
        lease.close();
        callback.onComplete(null);
        onChange.run();
    }

    @Override
    public SendResult offerCopy(Tensor tensor, SendCallback callback) {
        Tensor copy = staging.allocate(tensor.type(), tensor.shape());
        if (copy == null) {
            return SendResult.BACK_PRESSURED;
        }
        copy.memory().copyFrom(tensor.memory());
        SendResult result = offer(copy, callback);
        copy.close();
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
        Slab slot = fullSlots.poll();
        return slot == null ? null
                : Tensor.over(slot, 0, edge.type().elementType(), TransferPlan.shape(edge), () -> acknowledge(slot));
    }

    private void acknowledge(Slab slot) {
        synchronized (this) {
            slot.memory().fill((byte) 0x77);
            freeSlots.add(slot);
        }
        onChange.run();
    }

    synchronized void fail(String cause) {
        failure = cause;
    }

    synchronized int backPressured() {
        return backPressured;
    }

    synchronized int copies() {
        return copies;
    }

    synchronized int freeSlots() {
        return freeSlots.size();
    }
}
