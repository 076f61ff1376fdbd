package dev.verbena.transfer.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.IdleStrategy;
import org.jctools.queues.atomic.MpscAtomicArrayQueue;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionQueue;

/**
 * The one that owns a completion queue and every queue pair on it (EuroSys'19 §3.1: a thread per completion queue). Other
 * threads hand it commands through a lock-free queue and never touch a queue pair.
 *
 * <p><b>Owner:</b> the device, which starts and closes it. <b>Threading:</b> {@link #submit}, {@link #outstanding} and
 * {@link #close} are thread-safe; all else is confined to its own thread.
 */
public final class Poller implements Agent, IdleStrategy, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Poller.class);
    private static final int COMMANDS_MAX = 4096;
    private static final int BATCH_MAX = 64;
    /** Empty rounds before it sleeps: a few microseconds, since processes often outnumber cores. */
    private static final int SPINS_MAX = 64;
    private static final long AWAIT_NS = 100_000_000L;

    private final String name;
    private final CompletionQueue completionQueue;
    private final Activity activity;
    private final MpscAtomicArrayQueue<Runnable> commands = new MpscAtomicArrayQueue<>(COMMANDS_MAX);
    private final List<PolledQueuePair> queuePairs = new ArrayList<>();
    private final CompletionHandler handler = this::onCompletion;
    private final AgentRunner runner;
    private volatile Thread thread;
    private volatile boolean asleep;
    private volatile boolean closed;
    private volatile int outstanding;
    private int spins;
    private long seenEffects;

    /** {@code activity} is signalled whenever something may have arrived. */
    public Poller(String name, CompletionQueue completionQueue, Activity activity) {
        this.name = name;
        this.completionQueue = completionQueue;
        this.activity = activity;
        this.runner = new AgentRunner(this, error -> LOG.error("poller {} failed", name, error), null, this);
    }

    /** Starts its thread. */
    public void start() {
        AgentRunner.startOnThread(runner, task -> {
            Thread started = new Thread(task, name);
            started.setDaemon(true);
            return started;
        });
    }

    public CompletionQueue completionQueue() {
        return completionQueue;
    }

    public boolean owns(CompletionQueue queue) {
        return completionQueue == queue;
    }

    /**
     * Runs the command on the poller's thread, soon; at once if this is that thread.
     *
     * @return false if the poller is closed and the command will not run
     */
    public boolean submit(Runnable command) {
        if (isCurrentThread()) {
            command.run();
            return true;
        }
        while (!closed) {
            if (commands.offer(command)) {
                if (asleep) {
                    completionQueue.signal();
                }
                return true;
            }
            LockSupport.parkNanos(1_000);
        }
        return false;
    }

    /** Takes charge of a queue pair. On the poller's thread, before anything is submitted to it. */
    void adopt(PolledQueuePair queuePair) {
        int index = queuePairs.indexOf(null);
        if (index < 0) {
            index = queuePairs.size();
            queuePairs.add(queuePair);
        } else {
            queuePairs.set(index, queuePair);
        }
        queuePair.index(index);
    }

    /** Forgets a queue pair that is closed, so that no completion names it any more. On the poller's thread. */
    void release(PolledQueuePair queuePair) {
        queuePairs.set(queuePair.index(), null);
    }

    /** Commands and requests not yet done; exact only when nobody submits any more. */
    public int outstanding() {
        return outstanding + commands.size();
    }

    boolean isCurrentThread() {
        return Thread.currentThread() == thread;
    }

    @Override
    public String roleName() {
        return name;
    }

    @Override
    public void onStart() {
        thread = Thread.currentThread();
    }

    @Override
    public int doWork() {
        int work = commands.drain(Runnable::run, BATCH_MAX);
        int completions = completionQueue.poll(handler, BATCH_MAX);
        if (work + completions > 0) {
            int count = 0;
            for (int i = 0; i < queuePairs.size(); i++) {
                PolledQueuePair queuePair = queuePairs.get(i);
                count += queuePair == null ? 0 : queuePair.outstanding();
            }
            outstanding = count;
        }
        long effects = completionQueue.remoteEffects();
        if (completions > 0 || effects != seenEffects) {
            seenEffects = effects;
            activity.signal();
        }
        return work + completions;
    }

    @Override
    public void idle(int workCount) {
        if (workCount > 0) {
            spins = 0;
        } else {
            idle();
        }
    }

    @Override
    public void idle() {
        if (spins < SPINS_MAX) {
            spins++;
            Thread.onSpinWait();
            return;
        }
        asleep = true;
        if (commands.isEmpty() && !closed) {
            completionQueue.await(AWAIT_NS);
        }
        asleep = false;
        activity.signal();
        spins = 0;
    }

    @Override
    public void reset() {
        spins = 0;
    }

    /** Stops the thread; what is still outstanding fails with "device closed". Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        completionQueue.signal();
        runner.close();
    }

    @Override
    public void onClose() {
        commands.drain(Runnable::run);
        for (PolledQueuePair queuePair : queuePairs) {
            if (queuePair != null) {
                queuePair.abandon("the device was closed");
            }
        }
        outstanding = 0;
    }

    private void onCompletion(Completion completion) {
        queuePairs.get(PolledQueuePair.queuePairIndex(completion.workRequestId)).onCompletion(completion);
    }
}
