package dev.verbena.softroce;

import java.io.IOException;
import java.util.concurrent.Semaphore;

/**
 * How many guests run at once: one a processor, for each keeps one busy, or fewer where memory is short. Other tests that run beside,
 * in a process of their own, count as a guest until they end.
 *
 * <p>
 * Threading: thread-safe. Who waits longest is first, so that two hosts get their two slots while single guests come and go.
 */
final class GuestSlots {
    private final int count;
    private final Semaphore free;

    /** @param count at least one */
    GuestSlots(int count) {
        this.count = count;
        free = new Semaphore(count, true);
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
        free.acquireUninterruptibly();
        process.onExit().thenRun(free::release);
    }

    /**
     * Waits until so many guests, which belong together, may start.
     *
     * @return what to give back when they have ended: fewer where there are not so many
     */
    int take(int guests) throws InterruptedException {
        int taken = Math.min(guests, count);
        free.acquire(taken);
        return taken;
    }

    void giveBack(int taken) {
        free.release(taken);
    }

    int freeCount() {
        return free.availablePermits();
    }
}
