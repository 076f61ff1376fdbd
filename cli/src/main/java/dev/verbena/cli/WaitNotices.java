package dev.verbena.cli;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Nobody shall look at a silent screen and guess: what takes long is said on standard error, with how long it has taken and how
 * long it still may, and what to do.
 *
 * <pre>
 * still waiting for a perf server at host2:18515, for 4 s, 26 s more at most; start it there first, without HOST
 * </pre>
 *
 * <p><b>Owner:</b> the command, which ends each notice. <b>Threading:</b> thread-safe.
 */
public final class WaitNotices {
    /** For what takes as long as it takes. */
    public static final long NO_LIMIT = Long.MAX_VALUE;

    private static final double SECOND_NS = 1e9;

    private final Timer timer;
    private final Consumer<String> say;

    /** @param say called on the timer's thread */
    public WaitNotices(Timer timer, Consumer<String> say) {
        this.timer = timer;
        this.say = say;
    }

    /** By the machine's time. */
    public static WaitNotices onStandardError() {
        return new WaitNotices(Timer.ofMachine(), System.err::println);
    }

    /**
     * Something begins that may take long.
     *
     * @param doing such as "waiting for a client at host1:18515"; asked anew each time, on the timer's thread
     * @param advice what the user can do; empty for nothing
     * @param limitNs when it ends at the latest, from now, or {@link #NO_LIMIT}
     * @return to be closed when it is over
     */
    public Notice begin(Supplier<String> doing, String advice, long limitNs) {
        Notice notice = new Notice(doing, advice, limitNs);
        notice.next();
        return notice;
    }

    /** Asking devices begins: a driver may take its time. */
    Notice beginAskingDevices() {
        return begin(() -> "asking this machine's RDMA devices what they are",
                "if it stays so, a driver does not answer: see what the kernel says (dmesg)", NO_LIMIT);
    }

    /** Of a wait that counts for itself how long it takes. */
    void say(String doing, String advice, long waitedNs, long leftNs) {
        say.accept(sentence(doing, advice, waitedNs, leftNs));
    }

    static String sentence(String doing, String advice, long waitedNs, long leftNs) {
        return "still " + doing + ", for " + seconds(waitedNs) + " s"
                + (leftNs == NO_LIMIT ? "" : ", " + seconds(Math.max(0, leftNs)) + " s more at most")
                + (advice.isEmpty() ? "" : "; " + advice);
    }

    private static long seconds(long ns) {
        return Math.round(ns / SECOND_NS);
    }

    /**
     * One thing that takes long, until it is closed.
     *
     * <p><b>Owner:</b> who began it. <b>Threading:</b> thread-safe.
     */
    public final class Notice implements AutoCloseable {
        private final Supplier<String> doing;
        private final String advice;
        private final long limitNs;
        private final long startNs = timer.nowNs();
        private final WaitMarks marks = new WaitMarks();
        private Runnable cancel;
        private boolean isOver;

        private Notice(Supplier<String> doing, String advice, long limitNs) {
            this.doing = doing;
            this.advice = advice;
            this.limitNs = limitNs;
        }

        private synchronized void next() {
            cancel = timer.after(Math.max(0, marks.nextNs() - (timer.nowNs() - startNs)), this::onTime);
        }

        private synchronized void onTime() {
            long waitedNs = timer.nowNs() - startNs;
            if (isOver) {
                return;
            }
            if (marks.isReached(waitedNs)) {
                say(doing.get(), advice, waitedNs, limitNs == NO_LIMIT ? NO_LIMIT : limitNs - waitedNs);
            }
            next();
        }

        /** Nothing is said after it. Idempotent. */
        @Override
        public synchronized void close() {
            isOver = true;
            cancel.run();
        }
    }
}
