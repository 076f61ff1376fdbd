package dev.verbena.transfer;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import dev.verbena.memory.Tensor;

/**
 * Tensors by name and step between this device and a peer, in both directions: an {@link ExchangeSender} and an {@link ExchangeReceiver},
 * whose methods these are.
 *
 * <p><b>Owner:</b> who made it with {@link RdmaDevice#exchange}; closed before its arena. <b>Threading:</b> thread-safe.
 */
public final class TensorExchange implements AutoCloseable {
    private final ExchangeSender sender;
    private final ExchangeReceiver receiver;

    TensorExchange(ExchangeSender sender, ExchangeReceiver receiver) {
        this.sender = sender;
        this.receiver = receiver;
    }

    /** @see ExchangeSender#offer */
    public SendResult offer(String name, long step, Tensor tensor, SendCallback callback) {
        return sender.offer(name, step, tensor, callback);
    }

    /** @see ExchangeSender#hold */
    public void hold() {
        sender.hold();
    }

    /** @see ExchangeSender#flush */
    public void flush() {
        sender.flush();
    }

    /** @see ExchangeSender#send(String, long, Tensor, Duration) */
    public void send(String name, long step, Tensor tensor, Duration timeout) {
        sender.send(name, step, tensor, timeout);
    }

    /** @see ExchangeSender#sendAsync */
    public CompletionStage<Void> sendAsync(String name, long step, Tensor tensor, Duration timeout) {
        return sender.sendAsync(name, step, tensor, timeout);
    }

    /** @see ExchangeSender#withdraw */
    public void withdraw(String name, long step) {
        sender.withdraw(name, step);
    }

    /** @see ExchangeSender#offerBytes */
    public SendResult offerBytes(String name, long step, byte[] bytes, SendCallback callback) {
        return sender.offerBytes(name, step, bytes, callback);
    }

    /** @see ExchangeSender#offerDead */
    public SendResult offerDead(String name, long step, SendCallback callback) {
        return sender.offerDead(name, step, callback);
    }

    /** @see ExchangeSender#fail */
    public SendResult fail(String name, long step, Throwable cause, SendCallback callback) {
        return sender.fail(name, step, cause, callback);
    }

    /** @see ExchangeReceiver#receive(String, long) */
    public ExchangeRequest receive(String name, long step) {
        return receiver.receive(name, step);
    }

    /** @see ExchangeReceiver#receive(String, long, ChunkHandler) */
    public ExchangeRequest receive(String name, long step, ChunkHandler handler) {
        return receiver.receive(name, step, handler);
    }

    /** @see ExchangeReceiver#receive(String, long, Duration) */
    public Tensor receive(String name, long step, Duration timeout) {
        return receiver.receive(name, step, timeout);
    }

    /** @see ExchangeReceiver#receiveAsync */
    public CompletionStage<Tensor> receiveAsync(String name, long step, Duration timeout) {
        return receiver.receiveAsync(name, step, timeout);
    }

    /** The name of the peer. */
    public String peerName() {
        return sender.receiverName();
    }

    /** Of what this side has sent. */
    public ExchangeStatistics statistics() {
        return sender.statistics();
    }

    /** As {@link ExchangeSender#close}, then {@link ExchangeReceiver#close}. */
    @Override
    public void close() {
        try {
            sender.close();
        } finally {
            receiver.close();
        }
    }
}
