package dev.verbena.softroce;

import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * How many guests run at once: one a processor, for each keeps one busy, or fewer where memory is short. Other tests that run beside,
 * in a process of their own, count as a guest until they end.
 *
 * <p>
 * Single guests go first: while one is left no processor waits, as one does until both are free for a pair. Of those alike the one that
 * may take longest, so that no long one is left to the end, and then who came first.
 *
 * <p>
 * Threading: thread-safe.
 */
final class GuestSlots {
    /** @param number in the order of coming */
    private record Waiting(int guests, Duration timeout, long number) {}

    private final int count;
    private final PriorityQueue<Waiting> waiting = new PriorityQueue<>(
            Comparator.comparingInt(Waiting::guests).thenComparing(Waiting::timeout, Comparator.reverseOrder())
                    .thenComparingLong(Waiting::number));
    private int free;
    private long came;

    /** @param count at least one */
    GuestSlots(int count) {
        this.count = count;
        free = count;
    }

    /** Those of this machine, as the script counts them. */
    static GuestSlots ofThisMachine() {
        GuestSlots slots = new GuestSlots(Integer.parseInt(ask()));
        String beside = System.getenv("VERBENA_TESTS_BESIDE");
        if (beside != null) {
            ProcessHandle.of(Long.parseLong(beside)).ifPresent(slots::lendOneTo);
        }
        return slots;
    }

    private static String ask() {
        try {
            Process script = new ProcessBuilder(ScriptRun.SCRIPT.toString(), "slots").start();
            return new String(script.getInputStream().readAllBytes()).strip();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** To a process that runs already, for as long as it does. */
    void lendOneTo(ProcessHandle process) {
        synchronized (this) {
            free--; // Before anybody asks for one.
        }
        process.onExit().thenRun(() -> giveBack(1));
    }

    /**
     * Waits until so many guests, which belong together, may start.
     *
     * @return what to give back when they have ended: fewer where there are not so many
     */
    synchronized int take(int guests, Duration timeout) throws InterruptedException {
        int taken = Math.min(guests, count);
        Waiting own = new Waiting(guests, timeout, came++);
        waiting.add(own);
        try {
            while (free < taken || waiting.peek() != own) {
                wait();
            }
            free -= taken;
            return taken;
        } finally {
            waiting.remove(own);
            notifyAll();
        }
    }

    synchronized void giveBack(int taken) {
        free += taken;
        notifyAll();
    }

    synchronized int freeCount() {
        return free;
    }
}
