package dev.verbena.transfer;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
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
 * <b>Threading:</b> polled by one thread at a time; polls, stages and a subscription are not mixed.
 */
public final class TensorReceiver implements AutoCloseable, Flow.Publisher<Tensor> {
    private final RdmaDevice device;
    private final StaticPlacementReceiver protocol;
    /** Who hears of tensors instead of who polls; null if nobody does. */
    private final AtomicReference<TensorSubscription> subscription = new AtomicReference<>();
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
        boolean hasArrived = device.awaitArrival(arrival, protocol.arrivesByWrite(), timeout);
        if (!hasArrived && Thread.currentThread().isInterrupted()) {
            throw new TransferException("interrupted while waiting for " + senderName());
        }
        return hasArrived;
    }

    /**
     * As {@link #poll(Duration)}, without waiting: the stage completes, on a thread that may wait, with the next tensor, with null when the
     * time is up, or with the {@link TransferException}; nothing else ends it, so that no tensor is lost. One at a time.
     */
    public CompletionStage<Tensor> pollAsync(Duration timeout) {
        return device.elsewhere(() -> poll(timeout)).minimalCompletionStage();
    }

    /**
     * Publishes the tensors to one subscriber at a time, on a virtual thread of its own: no more than it asks for, and as long as it does
     * not ask they stay in their slots and the sender is back-pressured. The subscriber may take its time, and wait, and closes each tensor,
     * which frees its slot. The end of the sender that {@linkplain TensorSender#close closes} is the end of the stream; another subscription
     * hears of the next one. A failure, or closing the receiver here, is its error.
     */
    @Override
    public void subscribe(Flow.Subscriber<? super Tensor> subscriber) {
        TensorSubscription next = new TensorSubscription(device, this, Objects.requireNonNull(subscriber));
        if (subscription.compareAndSet(null, next)) {
            device.execute(next);
        } else {
            subscriber.onSubscribe(new NoSubscription());
            subscriber.onError(new IllegalStateException("the receiver of " + senderName()
                    + " has a subscriber already; cancel that subscription first"));
        }
    }

    void onUnsubscribed(TensorSubscription ended) {
        subscription.compareAndSet(ended, null);
    }

    /** Whether a tensor may arrive that nothing but memory tells of. */
    boolean arrivesByWrite() {
        return protocol.arrivesByWrite();
    }

    /** Senders that have closed so far. */
    long goodbyes() {
        return protocol.goodbyes();
    }

    /** Whether a sender has closed since there were so many, and all tensors have been polled. */
    boolean hasEndedSince(long goodbyes) {
        return protocol.hasEndedSince(goodbyes);
    }

    /** Of somebody who is refused. */
    private static final class NoSubscription implements Flow.Subscription {
        @Override
        public void request(long count) {
            // There is nothing.
        }

        @Override
        public void cancel() {
            // There is nothing to cancel.
        }
    }

    /**
     * How arrivals are seen: {@link ArrivalMode#TAIL} or {@link ArrivalMode#IMMEDIATE}; {@link ArrivalMode#AUTO} where it depends on a sender
     * that is not there yet.
     */
    public ArrivalMode arrivalMode() {
        return protocol.arrivalMode();
    }

    /** Why that way, in words. */
    public String arrivalReason() {
        return protocol.arrivalReason();
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
        device.wakeUp();
    }
}
