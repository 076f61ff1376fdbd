package dev.verbena.transfer;

import dev.verbena.memory.Tensor;
import dev.verbena.transfer.protocol.StaticPlacementReceiver;

/**
 * Receives tensors of one type and shape, written by a peer into slots that were allocated once; static placement,
 * EuroSys'19 §3.2.
 *
 * <p><b>Owner:</b> who made it with {@link RdmaDevice#receiver}; closed before its arena, and when the sender sends no more.
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

    /** Frees the slots, as soon as the last tensor from them is closed. */
    @Override
    public void close() {
        protocol.close();
    }
}
