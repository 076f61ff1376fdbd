package dev.verbena.transfer;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import dev.verbena.memory.Tensor;
import dev.verbena.transfer.exchange.AdaptiveExchangeSender;
import dev.verbena.transfer.exchange.ExchangeCounters;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * Sends tensors by name and step to one {@link ExchangeReceiver} of a peer, which asks for them by those, sooner or later. A small one goes at
 * once, several in one message where there are several; a larger one stays where it is until the peer has asked for it and read it
 * (TensorFlow's verbs transport; AR-gRPC's eager and rendezvous).
 *
 * <p>Names have 1 to 512 bytes in UTF-8. Of several with one name and step the first is the first received. Offering throws
 * {@link TransferException} once the peer is lost, {@link IllegalStateException} when closed.
 *
 * <p><b>Owner:</b> who made it with {@link RdmaChannel#exchangeSender}. <b>Threading:</b> thread-safe; what one thread sends goes in its
 * order.
 */
public final class ExchangeSender implements AutoCloseable {
    private final RdmaDevice device;
    private final AdaptiveExchangeSender protocol;
    private final ExchangeOptions options;

    ExchangeSender(RdmaDevice device, AdaptiveExchangeSender protocol, ExchangeOptions options) {
        this.device = device;
        this.protocol = protocol;
        this.options = options;
    }

    /** Whether the tensor can be sent where it lies: a message has room for it, or it is in memory registered with this device for peers to read. */
    public boolean isSendable(Tensor tensor) {
        return tensor.byteSize() <= ExchangeOptions.EAGER_BYTE_SIZE_MAX || isReadable(tensor);
    }

    private boolean isReadable(Tensor tensor) {
        return device.isRegistered(tensor.slab())
                && ((MemoryRegion) tensor.slab()).rights().contains(AccessRight.REMOTE_READ);
    }

    /**
     * Whether an offer would be taken now. Where callers drive it drives.
     *
     * @throws TransferException if the peer is lost
     * @throws IllegalStateException if it is closed
     */
    public boolean isReady() {
        return protocol.isReady();
    }

    /**
     * Takes the tensor to be sent, and pins it until it is written or read. It is to be closed at any time; not to be written to before the callback.
     *
     * @param callback hears that a small one is with the peer, or a larger one read; may be null
     * @return BACK_PRESSURED if {@value AdaptiveExchangeSender#PENDING_MAX} sends have not ended; offer it again later
     * @throws IllegalArgumentException if the name is too long, or the tensor is not {@linkplain #isSendable sendable}
     */
    public SendResult offer(String name, long step, Tensor tensor, SendCallback callback) {
        boolean isReadable = isReadable(tensor);
        if (!isReadable && tensor.byteSize() > ExchangeOptions.EAGER_BYTE_SIZE_MAX) {
            throw new IllegalArgumentException("'" + name + "' step=" + step + ": " + tensor
                    + " is not in memory registered with device '" + device.name()
                    + "' for peers to read; allocate it from an arena over device.readableSlabSource(), or import its memory with"
                    + " REMOTE_READ");
        }
        return protocol.offer(name, step, tensor, isReadable, options.isChecked(), callback);
    }

    /**
     * The same of bytes that mean something to the program alone, such as a serialized message; they are copied at once.
     *
     * @throws IllegalArgumentException also if they are too many for a message; send those as a tensor
     */
    public SendResult offerBytes(String name, long step, byte[] bytes, SendCallback callback) {
        if (bytes.length > AdaptiveExchangeSender.BYTES_MAX) {
            throw new IllegalArgumentException("'" + name + "' step=" + step + ": " + bytes.length
                    + " bytes do not go into a message, which has room for " + AdaptiveExchangeSender.BYTES_MAX
                    + "; send a tensor of type UINT8");
        }
        return protocol.offerBytes(name, step, bytes, options.isChecked(), callback);
    }

    /** There is no value at this step, and there will be none: the receiver is told so instead ({@link ExchangeContent#DEAD}). */
    public SendResult offerDead(String name, long step, SendCallback callback) {
        return protocol.offerNothing(name, step, null, callback);
    }

    /** What was to be sent could not be made: who asks for it gets an {@link ExchangeException} with these words. */
    public SendResult fail(String name, long step, Throwable cause, SendCallback callback) {
        return protocol.offerNothing(name, step, String.valueOf(cause), callback);
    }

    /**
     * What is offered from now on, by any thread, waits at this side until it fills a message, or {@link #flush}, {@link #send} or
     * {@link #close} let it go: for many small tensors in a row, whose callbacks nobody waits for before. Idempotent.
     */
    public void hold() {
        protocol.hold();
    }

    /**
     * How many tensors, or what is said instead of one, wait at this side for a message: who waits for one of these lets them go by
     * {@link #flush}; those in messages come without.
     */
    public int waitingCount() {
        return protocol.waitingCount();
    }

    /** What was {@linkplain #hold held} goes now, and what is offered from now on at once. */
    public void flush() {
        protocol.flush();
    }

    /**
     * Sends the tensor as soon as there is room, and waits until it is with the peer: a larger one until the peer has asked for it. When the
     * time is up it is withdrawn.
     *
     * @throws TransferException if that takes longer, the peer is lost, or the thread is interrupted: a peer that is just taking it has it
     *             nevertheless
     * @throws IllegalStateException also in a callback, which must not wait
     */
    public void send(String name, long step, Tensor tensor, Duration timeout) {
        Outcome outcome = new Outcome();
        boolean isDone = device.awaitWrite(() -> {
            if (!outcome.isStarted && offer(name, step, tensor, outcome) == SendResult.SENT) {
                outcome.isStarted = true;
                protocol.flush();
            }
            return outcome.isDone();
        }, timeout);
        if (!isDone && outcome.isStarted) {
            protocol.withdraw(name, step, outcome);
        }
        outcome.check(isDone, () -> "peer " + receiverName() + " has not taken '" + name + "' step=" + step + " after "
                + timeout);
    }

    /** As {@link #send}, without waiting: the stage completes, on a thread that may wait, when it is with the peer, or with the failure. */
    public CompletionStage<Void> sendAsync(String name, long step, Tensor tensor, Duration timeout) {
        return device.<Void>elsewhere(() -> {
            send(name, step, tensor, timeout);
            return null;
        }).minimalCompletionStage();
    }

    /**
     * What was sent under the name and the step, and nobody has asked for, is not to be had any more: what waits at this side ends at once,
     * a larger tensor that the peer was told of as soon as the peer says that it will not read it. Their callbacks hear of it. A small one
     * that is with the peer, and one that is just being read, is past that, and its callback hears that all is well.
     */
    public void withdraw(String name, long step) {
        protocol.withdraw(name, step, null);
    }

    /** The name of the peer that receives. */
    public String receiverName() {
        return protocol.receiverName();
    }

    /** Counted since it was made; each number is read by itself, so they need not agree while something is being sent. */
    public ExchangeStatistics statistics() {
        ExchangeCounters counters = protocol.counters();
        return new ExchangeStatistics(counters.messages(), counters.eager(), counters.eagerByteSize(),
                counters.rendezvous(), counters.rendezvousByteSize(), counters.withdrawn(), counters.shapes(),
                protocol.eagerByteSizeMax(),
                protocol.choice());
    }

    /**
     * No more sends. What was sent is told to the peer, and what it is reading it reads; larger tensors that it has not asked for by then are
     * told to have failed, so wait for their callbacks before. A peer that takes nothing for half a minute is cut off.
     */
    @Override
    public void close() {
        protocol.close();
    }
}
