package dev.verbena.transfer;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.protocol.StaticPlacementReceiver;

/**
 * Receives tensors of one type and shape, written by a peer into slots that were allocated once; static placement,
 * EuroSys'19 §3.2.
 *
 * <p>A sender that closes leaves its place to another, which goes on where it stopped.
 *
 * <p><b>Owner:</b> who made it with {@link RdmaDevice#receiver}; closed before its arena.
 * <b>Threading:</b> polled by one thread at a time.
 */
public final class TensorReceiver implements AutoCloseable {
    private final RdmaDevice device;
    private final StaticPlacementReceiver protocol;
    /** What the polling thread waits with; its own. */
    private TensorLease waiting;

    private final BooleanSupplier hasCome = this::pollForWaiting;

    TensorReceiver(RdmaDevice device, StaticPlacementReceiver protocol) {
        this.device = device;
        this.protocol = protocol;
    }

    /**
     * The next tensor in order, lying in its slot, or null if it has not arrived yet. Closing it, from any thread, tells the
     * sender that the slot is free.
     *
     * @throws TransferException when nothing more has arrived and the sender is lost
     */
    public Tensor poll() {
        return protocol.poll();
    }

    /**
     * The next tensor in order, which may take a while.
     *
     * @return null if it has not arrived in time
     * @throws TransferException when nothing more has arrived and the sender is lost, or the thread is interrupted
     * @throws IllegalStateException also in a callback, which must not wait
     */
    public Tensor poll(Duration timeout) {
        Tensor[] arrived = new Tensor[1];
        await(() -> (arrived[0] = protocol.poll()) != null, timeout);
        return arrived[0];
    }

    /**
     * As {@link #poll()}, without any object: lends the tensor to a lease that holds none, which is the caller's own and is used again and
     * again. Giving it up, and all that were shared from it, tells the sender that the slot is free. Until then it has the bytes, by
     * {@link TensorLease#memory()} and {@link TensorLease#address()}; its tensor cannot be offered.
     *
     * @return false if nothing has arrived yet
     * @throws IllegalStateException also if the lease holds a tensor
     */
    public boolean poll(TensorLease lease) {
        return protocol.poll(lease);
    }

    /** As {@link #poll(TensorLease)}, which may take a while, as {@link #poll(Duration)} does. */
    public boolean poll(TensorLease lease, Duration timeout) {
        waiting = lease;
        return await(hasCome, timeout);
    }

    private boolean pollForWaiting() {
        return protocol.poll(waiting);
    }

    private boolean await(BooleanSupplier arrival, Duration timeout) {
        boolean hasArrived = device.awaitArrival(arrival, timeout);
        if (!hasArrived && Thread.currentThread().isInterrupted()) {
            throw new TransferException("interrupted while waiting for " + senderName());
        }
        return hasArrived;
    }

    /** How arrivals are seen: {@link ArrivalMode#TAIL} or {@link ArrivalMode#IMMEDIATE}. */
    public ArrivalMode arrivalMode() {
        return protocol.tail() ? ArrivalMode.TAIL : ArrivalMode.IMMEDIATE;
    }

    /** Why that way, in words. */
    public String arrivalReason() {
        return device.arrivalReason();
    }

    /** The name of the peer that sends, for messages. */
    public String senderName() {
        return protocol.senderName();
    }

    /**
     * Tells the sender and waits until it writes no more, then frees the slots, as soon as the last tensor from them is closed. A peer that
     * does not answer for five seconds is cut off.
     */
    @Override
    public void close() {
        protocol.close();
    }
}
