package dev.verbena.graph.run.execution;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jctools.queues.atomic.MpscAtomicArrayQueue;

import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelException;
import dev.verbena.graph.run.SessionListener;
import dev.verbena.transfer.TransferException;

/**
 * Runs a frame: one thread, the caller's, and a ready queue, with the three modes of EuroSys'19 §4. A synchronous node is done
 * when its kernel returns; an asynchronous one when it says so, from any thread, through a queue that wakes this one; a polling
 * one is polled once and, when it is not ready, goes back to the tail, behind everything else that could run.
 *
 * <p>A node of a branch that is not taken is finished without running: its outputs are dead. Who sends a dead tensor tells the peer.
 *
 * <p>When a whole pass over the ready queue moved nothing, the executor spins briefly and then parks until something may have
 * arrived. What may have arrived is asked before the pass, so nothing is missed.
 *
 * <p>Of a peer that is lost, or has left, hear the edges that come from it or go to it: so a run that does not need it goes on.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> {@link #run} is confined to the session's thread; {@link #completed} is
 * thread-safe.
 */
public final class Executor {
    /** Fruitless passes before parking; short, because the peer may need this very core. */
    private static final int SPIN_PASSES = 20;
    /** Longest sleep between two passes over pollers. */
    private static final long POLL_PARK_NS = 1_000_000;
    /** Longest sleep where nothing is polled; completions end it. */
    private static final long PARK_NS = 100_000_000;
    /** How long a failing run waits for what it started. Sends to a lost peer end at once; only a kernel can exceed it. */
    private static final long SETTLE_NS = 1_000_000_000;
    private static final int NAMED_MAX = 4;

    private final String name;
    private final Activity activity;
    private final long timeoutNs;
    private final LongSupplier clockNs;
    private final SessionListener listener;
    private final Supplier<String> waitingFor = this::waitingFor;
    private final RunTimer timer;
    private final ReadyQueue ready = new ReadyQueue();
    private final Queue<NodeRun> completions;
    private volatile Thread thread;

    private Frame frame;
    private int remaining;
    private int inFlight;
    /** Nodes taken from the ready queue in a row that did not move. */
    private int misses;
    private int idlePasses;
    private long idleSinceNs;
    private long seenActivity;

    /** @param nodeCountMax nodes of the largest plan */
    public Executor(String name, int nodeCountMax, Activity activity, long timeoutNs, LongSupplier clockNs,
            SessionListener listener) {
        this.name = name;
        this.activity = activity;
        this.timeoutNs = timeoutNs;
        this.clockNs = clockNs;
        this.timer = new RunTimer(clockNs);
        this.listener = listener;
        this.completions = new MpscAtomicArrayQueue<>(Math.max(2, nodeCountMax));
    }

    /** By its clock. */
    public long nowNs() {
        return timer.nowNs();
    }

    /** Of the latest run. */
    public long waitNs() {
        return timer.waitNs();
    }

    /** Likewise. */
    public long copyNs() {
        return timer.copyNs();
    }

    /** A started node is done. */
    public void completed(NodeRun run) {
        completions.add(run);
        LockSupport.unpark(thread);
        activity.wakeUp();
    }

    /**
     * Runs everything once; nothing is under way when it returns. When it throws, the plan has been abandoned.
     *
     * @throws KernelException if a kernel fails
     * @throws TransferException if a peer is lost, a transfer fails, or nothing moves for as long as the session's timeout
     */
    public void run(Frame frame) {
        begin(frame);
        try {
            while (remaining > 0) {
                drainCompletions();
                step();
            }
        } catch (Throwable e) {
            settle();
            frame.abandon();
            throw e;
        } finally {
            thread = null;
        }
    }

    private void begin(Frame frame) {
        this.frame = frame;
        thread = Thread.currentThread();
        completions.clear();
        ready.reset(frame.runs().length);
        remaining = frame.runs().length;
        inFlight = 0;
        timer.reset();
        moved();
        for (NodeRun run : frame.runs()) {
            run.begin();
        }
        for (NodeRun run : frame.runs()) {
            if (run.isSource()) {
                makeReady(run);
            }
        }
    }

    private void step() {
        if (misses == 0) {
            seenActivity = activity.current();
        }
        NodeRun run = ready.pollFirst();
        if (run == null) {
            if (remaining > 0) {
                awaitCompletion();
            }
        } else if (execute(run)) {
            moved();
        } else {
            ready.addLast(run);
            misses++;
            if (misses >= ready.size()) {
                endFruitlessPass();
            }
        }
    }

    /** @return whether it moved; if not it belongs to the tail of the queue */
    private boolean execute(NodeRun run) {
        try {
            if (run.frame().isDead() && !(run.kernel() instanceof TransferKernel)) {
                run.frame().die();
                finish(run);
                return true;
            }
            if (run.frame().isBlocked()) {
                return false;
            }
            return switch (run.kernel()) {
                case Kernel.Synchronous kernel -> {
                    timer.endWait();
                    kernel.compute(run.frame());
                    finish(run);
                    yield true;
                }
                case Kernel.Asynchronous kernel -> {
                    timer.endWait();
                    start(run, done -> kernel.start(run.frame(), done));
                    yield true;
                }
                case TransferKernel kernel -> transfer(run, kernel);
                case Kernel.PollingAsynchronous kernel -> {
                    if (!kernel.poll(run.frame())) {
                        yield false;
                    }
                    timer.endWait();
                    start(run, done -> kernel.start(run.frame(), done));
                    yield true;
                }
            };
        } catch (Throwable e) {
            throw failed(run, e);
        }
    }

    private boolean transfer(NodeRun run, TransferKernel kernel) {
        long beganNs = timer.nowNs();
        if (!kernel.poll(run.frame())) {
            return false;
        }
        timer.endWait(beganNs);
        start(run, done -> kernel.start(run.frame(), done));
        timer.copiedSince(beganNs);
        return true;
    }

    private void start(NodeRun run, Consumer<Consumer<Throwable>> kernel) {
        run.become(NodeState.STARTED);
        inFlight++;
        try {
            kernel.accept(run.new Done());
        } catch (Throwable e) {
            if (run.endedByThrowing()) {
                inFlight--;
            }
            throw e;
        }
    }

    private void drainCompletions() {
        for (NodeRun run = completions.poll(); run != null; run = completions.poll()) {
            inFlight--;
            timer.endWait();
            if (run.failure() != null) {
                throw failed(run, run.failure());
            }
            try {
                finish(run);
            } catch (RuntimeException e) {
                throw failed(run, e);
            }
            moved();
        }
    }

    private void finish(NodeRun run) {
        run.finish();
        remaining--;
        for (int index : run.step().successors()) {
            NodeRun successor = frame.runs()[index];
            if (successor.predecessorFinished()) {
                makeReady(successor);
            }
        }
    }

    private void makeReady(NodeRun run) {
        run.become(NodeState.READY);
        ready.addLast(run);
    }

    private void moved() {
        misses = 0;
        idlePasses = 0;
    }

    private void endFruitlessPass() {
        misses = 0;
        if (!completions.isEmpty()) {
            return;
        }
        checkNotStuck();
        long leftNs = leftNs();
        if (idlePasses <= SPIN_PASSES) {
            Thread.onSpinWait();
        } else {
            activity.await(seenActivity, Math.min(leftNs, POLL_PARK_NS));
        }
    }

    private void awaitCompletion() {
        if (inFlight == 0) {
            throw new IllegalStateException(
                    name + ": nodes left with nothing to wait for; this is a defect of the plan");
        }
        if (completions.isEmpty()) {
            long leftNs = leftNs();
            if (idlePasses <= SPIN_PASSES) {
                Thread.onSpinWait();
            } else {
                activity.await(seenActivity, Math.min(leftNs, PARK_NS));
            }
        }
    }

    /** What is left of the deadline, which counts from when the run came to a stop. */
    private long leftNs() {
        long nowNs = clockNs.getAsLong();
        if (idlePasses++ == 0) {
            idleSinceNs = nowNs;
            timer.waitSince(nowNs);
        }
        if (Thread.interrupted()) {
            Thread.currentThread().interrupt();
            throw new TransferException(name + " was interrupted while it waited for " + waitingFor());
        }
        long leftNs = timeoutNs - (nowNs - idleSinceNs);
        if (leftNs <= 0) {
            throw new TransferException(name + " waited in vain for timeoutMs=" + timeoutNs / 1_000_000 + " for "
                    + waitingFor());
        }
        if (idlePasses > SPIN_PASSES) {
            listener.onIdle(nowNs - idleSinceNs, leftNs, waitingFor);
        }
        return leftNs;
    }

    /** Nodes that change variables wait for the variables' readers; if nothing but such nodes is left, no reader will come. */
    private void checkNotStuck() {
        for (int i = 0; i < ready.size(); i++) {
            if (!ready.get(i).frame().isBlocked()) {
                return;
            }
        }
        if (inFlight == 0) {
            throw new IllegalStateException(name + ": node '" + ready.get(0).node()
                    + "' changes a variable whose readers wait for it; let no reader of the variable need its result");
        }
    }

    private String waitingFor() {
        List<String> names = new ArrayList<>();
        int count = 0;
        for (NodeRun run : frame.runs()) {
            boolean waits = run.state() == NodeState.STARTED
                    || run.state() == NodeState.READY && !run.frame().isBlocked();
            if (waits && ++count <= NAMED_MAX) {
                names.add(run.kernel() instanceof TransferKernel transfer
                        ? transfer.waitsFor()
                        : run.toString());
            }
        }
        return String.join(", ", names) + (count > NAMED_MAX ? " and " + (count - NAMED_MAX) + " more" : "");
    }

    private RuntimeException failed(NodeRun run, Throwable cause) {
        String where = name + ": " + run;
        return cause instanceof TransferException
                ? new TransferException(where + ": " + cause.getMessage(), cause)
                : new KernelException(where + " failed: " + (cause.getMessage() == null ? cause : cause.getMessage()),
                        cause);
    }

    /** Waits for what is under way, whatever comes of it, so that its tensors can be closed. */
    private void settle() {
        boolean interrupted = Thread.interrupted();
        long deadlineNs = System.nanoTime() + SETTLE_NS;
        while (inFlight > 0 && System.nanoTime() < deadlineNs) {
            NodeRun run = completions.poll();
            if (run == null) {
                activity.await(activity.current(), POLL_PARK_NS);
            } else {
                inFlight--;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
