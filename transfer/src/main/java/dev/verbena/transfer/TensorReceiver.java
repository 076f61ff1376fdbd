package dev.verbena.transfer;

import java.time.Duration;

import dev.verbena.memory.Tensor;
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
        if (!device.awaitArrival(() -> (arrived[0] = protocol.poll()) != null, timeout)
                && Thread.currentThread().isInterrupted()) {
            throw new TransferException("interrupted while waiting for " + senderName());
        }
        return arrived[0];
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
