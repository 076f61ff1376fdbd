package dev.verbena.training;

import dev.verbena.transfer.RdmaDevice;

/**
 * Lets a device make progress while its task's own thread is busy for long: servers close their sessions while a worker measures what was
 * trained, want an answer to that soon, and where callers make progress there is nobody else who gives it.
 *
 * <p><b>Owner:</b> who made it. <b>Threading:</b> closed by the thread that made it.
 */
final class AnsweringThread implements AutoCloseable {
    /** Woken by what arrives; so late at most when it is over. */
    private static final long PAUSE_NS = 10_000_000;

    private final RdmaDevice device;
    private final Thread thread;
    private volatile boolean isOver;

    AnsweringThread(RdmaDevice device) {
        this.device = device;
        this.thread = Thread.ofPlatform().daemon().name("answers").start(this::run);
    }

    private void run() {
        while (!isOver) {
            device.awaitActivity(device.activity(), PAUSE_NS);
        }
    }

    /** When this returns it no longer touches the device. */
    @Override
    public void close() {
        isOver = true;
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
