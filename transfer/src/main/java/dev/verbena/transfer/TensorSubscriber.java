package dev.verbena.transfer;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

import dev.verbena.memory.Tensor;

/**
 * Sends what a publisher has: asks for as many tensors as the receiver has slots, offers each when one is free, closes each when it is
 * written. When the publisher completes, what it had published is sent and the sender closed: the receiver's subscriber hears that as its
 * own end. When it fails, the connection fails with that cause, since a stream that is cut short must not look complete.
 *
 * <p><b>Owner:</b> {@link TensorSender#subscriber}; the tensors are its own from {@link #onNext} on. <b>Threading:</b> as Reactive Streams
 * have it: signals one after the other, on whatever thread.
 */
public final class TensorSubscriber implements Flow.Subscriber<Tensor> {
    private final TensorSender sender;
    private final int depth;
    private final Duration timeout;
    private final CompletableFuture<Void> completion = new CompletableFuture<>();
    /** The end of what was published last. */
    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
    private Flow.Subscription subscription;

    TensorSubscriber(TensorSender sender, int depth, Duration timeout) {
        this.sender = sender;
        this.depth = depth;
        this.timeout = timeout;
    }

    /**
     * When the publisher has completed and all of it is written and told; or what went wrong, here or at the publisher. It completes on a
     * thread that may wait.
     */
    public CompletionStage<Void> completion() {
        return completion.minimalCompletionStage();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        Objects.requireNonNull(subscription);
        if (this.subscription != null) {
            subscription.cancel();
            return;
        }
        this.subscription = subscription;
        subscription.request(depth);
    }

    @Override
    public void onNext(Tensor tensor) {
        Objects.requireNonNull(tensor);
        last = sender.sendAsync(tensor, timeout, () -> subscription.request(1)).whenComplete((sent, failure) -> {
            tensor.close();
            if (failure != null) {
                subscription.cancel();
                completion.completeExceptionally(failure);
            }
        });
    }

    @Override
    public void onComplete() {
        last.thenCompose(sent -> sender.closeAsync()).thenRun(() -> completion.complete(null));
    }

    @Override
    public void onError(Throwable failure) {
        Objects.requireNonNull(failure);
        sender.fail("what publishes the tensors failed: " + failure);
        completion.completeExceptionally(failure);
    }
}
