package dev.verbena.verbs.examples;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import dev.verbena.verbs.CompletionChannel;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.DeviceContext;
import dev.verbena.verbs.WorkCompletionStatus;
import dev.verbena.verbs.WorkCompletions;

/**
 * A completion queue that is waited on by polling, or by sleeping until it reports an event.
 *
 * <p>Threading: confined to its owner, but {@link #wake} is for any thread.
 */
final class Completions implements AutoCloseable {
    private static final long HANG_NS = TimeUnit.SECONDS.toNanos(300);
    private static final long END_NS = TimeUnit.SECONDS.toNanos(5);

    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final WorkCompletions completions = new WorkCompletions(16);
    private int next;
    private int count;

    Completions(DeviceContext context, int countMax, boolean byEvents) {
        channel = byEvents ? context.createCompletionChannel() : null;
        queue = byEvents ? context.createCompletionQueue(countMax, channel, 0)
                : context.createCompletionQueue(countMax);
    }

    CompletionQueue queue() {
        return queue;
    }

    /**
     * Waits for the next completion.
     *
     * @return its work request id; -1 once {@code ended} holds and there is none
     * @throws IllegalStateException if it failed
     */
    long await(BooleanSupplier ended) {
        long start = System.nanoTime();
        while (next == count) {
            next = 0;
            count = queue.poll(completions);
            if (count > 0) {
                break;
            }
            if (ended.getAsBoolean()) {
                return -1;
            }
            if (System.nanoTime() - start > HANG_NS) {
                throw new IllegalStateException("no completion within five minutes: look whether the peer is alive");
            }
            sleep();
        }
        if (completions.status(next) == WorkCompletionStatus.WORK_REQUEST_FLUSHED && comesTrue(ended)) {
            return -1;
        }
        if (completions.status(next) != WorkCompletionStatus.SUCCESS) {
            throw new IllegalStateException("request=" + completions.workRequestId(next) + " ended with status="
                    + completions.status(next));
        }
        return completions.workRequestId(next++);
    }

    /** A peer that disconnects may flush what is posted before the event of it is taken. */
    private static boolean comesTrue(BooleanSupplier ended) {
        long start = System.nanoTime();
        while (!ended.getAsBoolean() && System.nanoTime() - start < END_NS) {
            Thread.onSpinWait();
        }
        return ended.getAsBoolean();
    }

    /** An event that comes between the request and the wait ends the wait: arm, look again, sleep. */
    private void sleep() {
        if (channel == null) {
            Thread.onSpinWait();
            return;
        }
        queue.requestNotification(false);
        count = queue.poll(completions);
        if (count == 0) {
            channel.await(HANG_NS);
        }
    }

    /** Ends a present wait where {@code ended} now holds. */
    void wake() {
        if (channel != null) {
            channel.wake();
        }
    }

    @Override
    public void close() {
        queue.close();
        if (channel != null) {
            channel.close();
        }
    }
}
