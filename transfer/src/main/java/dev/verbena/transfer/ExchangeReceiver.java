package dev.verbena.transfer;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import dev.verbena.memory.Tensor;
import dev.verbena.transfer.exchange.AdaptiveExchangeReceiver;

/**
 * Receives tensors by name and step from one {@link ExchangeSender} of a peer: who asks and who sends may come in any order. Up to
 * {@value AdaptiveExchangeReceiver#UNMATCHED_MAX} that nobody has asked for are kept, small ones in the arena, larger ones with the sender;
 * then no more is taken, and the sender back-pressured, until one of them is asked for.
 *
 * <p>A sender that closes leaves its place to another; what was asked for then comes from that.
 *
 * <p><b>Owner:</b> who made it with {@link RdmaDevice#exchangeReceiver}; closed before its arena. <b>Threading:</b> thread-safe.
 */
public final class ExchangeReceiver implements AutoCloseable {
    private final RdmaDevice device;
    private final AdaptiveExchangeReceiver protocol;

    ExchangeReceiver(RdmaDevice device, AdaptiveExchangeReceiver protocol) {
        this.device = device;
        this.protocol = protocol;
    }

    /**
     * Asks for what is sent under the name and the step, and does not wait for it.
     *
     * @throws TransferException if it has not come, and the sender is lost
     * @throws IllegalStateException if {@value AdaptiveExchangeReceiver#RECEIVES_MAX} are asked for that have not come, or it is closed
     */
    public ExchangeRequest receive(String name, long step) {
        return receive(name, step, (ChunkHandler) null);
    }

    /**
     * The same, and has it piece by piece, as it lands, before it is whole. A large tensor lands in chunks, of a size that is measured, 64 KiB
     * to 1 MiB.
     *
     * @param handler hears of each piece before the request is done; a failure of it fails the request. May be null
     */
    public ExchangeRequest receive(String name, long step, ChunkHandler handler) {
        ExchangeRequest request = new ExchangeRequest(device, protocol.receive(handler));
        request.ask(name, step);
        return request;
    }

    /**
     * Asks for it, and waits until it is there; when the time is up nobody asks any more.
     *
     * @return what {@link ExchangeRequest#take} has
     * @throws TransferException also if it has not come in time
     * @throws dev.verbena.memory.OutOfArenaMemoryException if it has not, and the arena has no room for it
     */
    public Tensor receive(String name, long step, Duration timeout) {
        try (ExchangeRequest request = receive(name, step)) {
            if (request.await(timeout)) {
                return request.take();
            }
            throw new TransferException(
                    "nothing has come from " + senderName() + " as " + request + " after " + timeout);
        }
    }

    /** The same, without waiting: the stage completes on a thread that may wait. */
    public CompletionStage<Tensor> receiveAsync(String name, long step, Duration timeout) {
        return device.elsewhere(() -> receive(name, step, timeout)).minimalCompletionStage();
    }

    /** The name of the peer that sends, for messages. */
    public String senderName() {
        return protocol.senderName();
    }

    /**
     * Waits until nothing is read any more, tells the sender, whose tensors that were not read are told to have failed, and frees what nobody
     * has asked for. What is asked for fails. A peer that does not answer for five seconds is cut off.
     */
    @Override
    public void close() {
        protocol.close();
    }
}
