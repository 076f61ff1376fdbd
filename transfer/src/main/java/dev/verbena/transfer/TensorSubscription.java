package dev.verbena.transfer;

import java.time.Duration;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;

import dev.verbena.memory.Tensor;

/**
 * The tensors of a receiver for one subscriber, on a virtual thread of its own: it waits for demand and for tensors alike, so every signal
 * comes from it, one after the other, and a subscriber that takes its time keeps nobody but the sender.
 *
 * <pre>
 *   waiting ── demand, and a tensor ──► onNext ──► waiting
 *      │ ── the sender has closed, all is delivered ──► onComplete
 *      │ ── failure, a wrong request ──► onError
 *      └ ── cancel ──► nothing more
 * </pre>
 *
 * <p><b>Owner:</b> {@link TensorReceiver}. <b>Threading:</b> {@link #request} and {@link #cancel} are thread-safe.
 */
final class TensorSubscription implements Flow.Subscription, Runnable {
    /** As long as the subscription lasts: what ends it wakes it. */
    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE / 2);

    private final RdmaDevice device;
    private final TensorReceiver receiver;
    private final Flow.Subscriber<? super Tensor> subscriber;
    private final long goodbyesBefore;
    private final AtomicLong demand = new AtomicLong();
    private volatile boolean isCancelled;
    /** The first that was not positive. */
    private volatile long wrongDemand = 1;

    TensorSubscription(RdmaDevice device, TensorReceiver receiver, Flow.Subscriber<? super Tensor> subscriber) {
        this.device = device;
        this.receiver = receiver;
        this.subscriber = subscriber;
        this.goodbyesBefore = receiver.goodbyes();
    }

    @Override
    public void request(long count) {
        if (count <= 0) {
            wrongDemand = count;
        } else {
            demand.accumulateAndGet(count, (present, more) -> present + more < 0 ? Long.MAX_VALUE : present + more);
        }
        device.wakeUp();
    }

    @Override
    public void cancel() {
        isCancelled = true;
        device.wakeUp();
    }

    /** Signals until there is nothing more to signal. */
    @Override
    public void run() {
        try {
            subscriber.onSubscribe(this);
            deliver();
        } finally {
            receiver.onUnsubscribed(this);
        }
    }

    private void deliver() {
        Tensor[] next = new Tensor[1];
        while (true) {
            boolean[] isOver = new boolean[1];
            try {
                device.awaitArrival(() -> isCancelled || wrongDemand <= 0
                        || demand.get() > 0 && (next[0] = receiver.poll()) != null
                        || (isOver[0] = receiver.hasEndedSince(goodbyesBefore)), receiver.arrivesByWrite(),
                        FOR_EVER);
            } catch (RuntimeException e) {
                end(() -> subscriber.onError(e));
                return;
            }
            if (next[0] != null) {
                Tensor tensor = next[0];
                next[0] = null;
                if (demand.get() != Long.MAX_VALUE) {
                    demand.decrementAndGet();
                }
                subscriber.onNext(tensor);
            } else if (wrongDemand <= 0) {
                end(() -> subscriber.onError(new IllegalArgumentException(
                        "request(" + wrongDemand + "): ask for one or more (Reactive Streams, rule 3.9)")));
                return;
            } else if (isOver[0]) {
                end(subscriber::onComplete);
                return;
            } else if (isCancelled) {
                return;
            }
        }
    }

    /** What comes next may subscribe again at once. */
    private void end(Runnable signal) {
        receiver.onUnsubscribed(this);
        if (!isCancelled) {
            signal.run();
        }
    }
}
