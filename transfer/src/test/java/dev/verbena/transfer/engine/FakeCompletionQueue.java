package dev.verbena.transfer.engine;

import java.util.ArrayDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionQueue;

/** Gives the completions that a test puts into it, and counts who sleeps on it. */
final class FakeCompletionQueue implements CompletionQueue {
    final ArrayDeque<Completion> completions = new ArrayDeque<>();
    final AtomicInteger sleepers = new AtomicInteger();
    final AtomicInteger polls = new AtomicInteger();
    private final Semaphore signals = new Semaphore(0);

    @Override
    public int poll(CompletionHandler handler, int countMax) {
        polls.incrementAndGet();
        int count = 0;
        while (count < countMax && !completions.isEmpty()) {
            handler.onCompletion(completions.poll());
            count++;
        }
        return count;
    }

    @Override
    public long remoteEffects() {
        return 0;
    }

    @Override
    public void await(long timeoutNs) {
        if (sleepers.incrementAndGet() > 1) {
            throw new IllegalStateException("two threads sleep on one completion queue");
        }
        try {
            signals.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        sleepers.decrementAndGet();
    }

    @Override
    public void signal() {
        signals.release();
    }

    @Override
    public void close() {}
}
