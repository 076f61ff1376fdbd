package dev.verbena.transfer;

import java.util.function.Supplier;

/** How something that was started ends, for a thread that waits for it. */
final class Outcome implements SendCallback {
    /** Written by who waits. */
    boolean isStarted;
    private TransferException failure;
    private volatile boolean isDone;

    @Override
    public void onComplete(TransferException failure) {
        this.failure = failure;
        isDone = true;
    }

    boolean isDone() {
        return isDone;
    }

    /** @throws TransferException if it failed, or was not done in time: then with these words */
    void check(boolean isInTime, Supplier<String> otherwise) {
        if (isDone && failure != null) {
            throw failure;
        }
        if (!isInTime) {
            throw new TransferException(
                    otherwise.get() + (Thread.currentThread().isInterrupted() ? "; interrupted" : ""));
        }
    }
}
