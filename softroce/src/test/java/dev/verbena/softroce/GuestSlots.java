package dev.verbena.softroce;

import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * How many guests run at once: one a processor, for each keeps one busy, or fewer where memory is short. Two hosts that talk to each
 * other are as one: while one works the other waits for it, and together they have the memory of one. Other tests that run beside, in a
 * process of their own, count as a guest until they end.
 *
 * <p>
 * First goes who may take longest, so that no long one is left to the end, and then who came first.
 *
 * <p>
 * Threading: thread-safe.
 */
final class GuestSlots {
    /** @param number in the order of coming */
    private record Waiting(Duration timeout, long number) {}

    private final PriorityQueue<Waiting> waiting = new PriorityQueue<>(
            Comparator.comparing(Waiting::timeout, Comparator.reverseOrder()).thenComparingLong(Waiting::number));
    private int free;
    private long came;

    /** @param count at least one */
    GuestSlots(int count) {
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
        process.onExit().thenRun(this::giveBack);
    }

    /** Waits until a guest, or two that belong together, may start. */
    synchronized void take(Duration timeout) throws InterruptedException {
        Waiting own = new Waiting(timeout, came++);
        waiting.add(own);
        try {
            while (free < 1 || waiting.peek() != own) {
                wait();
            }
            free--;
        } finally {
            waiting.remove(own);
            notifyAll();
        }
    }

    /** When they have ended. */
    synchronized void giveBack() {
        free++;
        notifyAll();
    }

    synchronized int freeCount() {
        return free;
    }
}
