package dev.verbena.transfer.fabric.control;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control thread of a fabric: waits on its sockets and calls who watches them.
 *
 * <p><b>Owner:</b> the fabric. <b>Threading:</b> {@link #watch}, {@link #run}, {@link #later}, {@link #wakeup} and {@link #close} are thread-safe;
 * watchers, tasks and timers run on the control thread.
 */
public final class ControlLoop implements AutoCloseable {
    /** Hears of one channel. */
    public interface Watcher {
        void onReady();

        /** Called at regular intervals; when the thread has stood still, once for all that it has missed. */
        default void onBeat() {}

        /** The watch ends, because the control thread does or a call failed; the channel is closed next. */
        default void onEnd() {}
    }

    /** Something that is due at some instant, if it is not called off before. Threading: confined to the control thread. */
    static final class Timer implements Comparable<Timer> {
        private final long dueNs;
        /** Null when it is called off. */
        private Runnable task;

        private Timer(long dueNs, Runnable task) {
            this.dueNs = dueNs;
            this.task = task;
        }

        /** It stays with its loop until it would have been due, and holds nothing. Idempotent. */
        void cancel() {
            task = null;
        }

        @Override
        public int compareTo(Timer other) {
            return Long.signum(dueNs - other.dueNs);
        }
    }

    private static final Logger LOGGER = LoggerFactory.getLogger(ControlLoop.class);
    /** Such that the difference of two instants is a number. */
    private static final long DELAY_NS_MAX = Long.MAX_VALUE / 4;

    private final Selector selector;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final Thread thread;
    private final long beatNs;
    private long nextBeatNs;
    private volatile boolean isOpen = true;

    /** Starts the thread; {@code beatNs} between two beats, Long.MAX_VALUE for none. */
    public ControlLoop(String name, long beatNs) {
        this.beatNs = beatNs;
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a selector; look at ulimit -n", e);
        }
        nextBeatNs = System.nanoTime() + (beats() ? beatNs : 0);
        thread = Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    /** Calls the watcher when the channel is ready for the operations, until the channel is closed. */
    public void watch(SelectableChannel channel, int operations, Watcher watcher) {
        later(() -> {
            try {
                channel.register(selector, operations, watcher);
            } catch (IOException e) {
                LOGGER.trace("closed before it was watched", e);
            }
        });
    }

    /** Runs it on the control thread, at once where this is it. */
    void run(Runnable task) {
        if (isCurrentThread()) {
            task.run();
        } else {
            later(task);
        }
    }

    /** Runs it on the control thread, not within this call; in the order of the calls. */
    void later(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    /** Runs it when so much time has passed. Called on the control thread. */
    Timer after(long delayNs, Runnable task) {
        Timer timer = new Timer(System.nanoTime() + Math.min(delayNs, DELAY_NS_MAX), task);
        timers.add(timer);
        return timer;
    }

    /** A watched channel was closed: its file descriptor is free only when the selector has noticed. */
    void wakeup() {
        selector.wakeup();
    }

    private void run() {
        try (selector) {
            while (isOpen) {
                long waitNs = nextDeadlineNs() - System.nanoTime();
                // Rounded up, so as not to spin in the last millisecond; 0 would wait for ever.
                selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(waitNs) + 1));
                runTasks();
                callWatchers();
                runTimers();
            }
            // Also what was to be watched and never was must be closed.
            runTasks();
            for (SelectionKey key : new ArrayList<>(selector.keys())) {
                guarded(key, Watcher::onEnd);
                key.channel().close();
            }
        } catch (IOException e) {
            LOGGER.error("the control thread fails; peers that die will not be noticed", e);
        }
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            guarded(task);
        }
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOGGER.error("a task of the control thread failed", e);
        }
    }

    private long nextDeadlineNs() {
        long now = System.nanoTime();
        long next = now + TimeUnit.HOURS.toNanos(1);
        if (beats() && nextBeatNs - next < 0) {
            next = nextBeatNs;
        }
        Timer first = timers.peek();
        return first != null && first.dueNs - next < 0 ? first.dueNs : next;
    }

    private void runTimers() {
        long now = System.nanoTime();
        for (Timer first = timers.peek(); first != null && first.dueNs - now <= 0; first = timers.peek()) {
            timers.remove();
            if (first.task != null) {
                guarded(first.task);
            }
        }
    }

    private void callWatchers() {
        for (SelectionKey key : new ArrayList<>(selector.selectedKeys())) {
            selector.selectedKeys().remove(key);
            if (key.isValid()) {
                guarded(key, Watcher::onReady);
            }
        }
        long now = System.nanoTime();
        if (beats() && nextBeatNs - now <= 0) {
            nextBeatNs = now + beatNs;
            for (SelectionKey key : new ArrayList<>(selector.keys())) {
                if (key.isValid()) {
                    guarded(key, Watcher::onBeat);
                }
            }
        }
    }

    private boolean beats() {
        return beatNs != Long.MAX_VALUE;
    }

    /** One that fails must not take the others with it. */
    private static void guarded(SelectionKey key, Consumer<Watcher> call) {
        Watcher watcher = (Watcher) key.attachment();
        try {
            call.accept(watcher);
        } catch (RuntimeException | Error e) {
            LOGGER.error("a control socket's watcher failed; the socket is closed", e);
            try {
                watcher.onEnd();
                key.channel().close();
            } catch (RuntimeException | IOException ending) {
                e.addSuppressed(ending);
            }
        }
    }

    boolean isCurrentThread() {
        return Thread.currentThread() == thread;
    }

    /** Ends the thread and closes all watched channels. Idempotent. */
    @Override
    public void close() {
        isOpen = false;
        selector.wakeup();
        boolean isInterrupted = false;
        while (!isCurrentThread() && thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
