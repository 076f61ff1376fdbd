package dev.verbena.graph.run.execution;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import dev.verbena.graph.Graph;
import dev.verbena.graph.plan.RunPlan.Step;
import dev.verbena.graph.run.Kernel;

/**
 * A step of a run as the executor drives it: a state, what it waits for, who waits for it. Made once, run again and again.
 *
 * <p><b>Owner:</b> its {@link Frame}. <b>Threading:</b> confined to the session's thread, but for {@link Done}, which is called on any.
 */
public final class NodeRun {
    private final Step step;
    private final Kernel kernel;
    private final NodeFrame frame;
    private final Consumer<NodeRun> completed;
    private final AtomicReference<NodeState> state = new AtomicReference<>(NodeState.WAITING);
    private int outstanding;
    private Throwable failure;

    /** @param completed hears, on any thread, that it was started and is done */
    NodeRun(Step step, Kernel kernel, NodeFrame frame, Consumer<NodeRun> completed) {
        this.step = step;
        this.kernel = kernel;
        this.frame = frame;
        this.completed = completed;
    }

    Graph.Node node() {
        return step.node();
    }

    Kernel kernel() {
        return kernel;
    }

    NodeFrame frame() {
        return frame;
    }

    Step step() {
        return step;
    }

    void begin() {
        outstanding = step.predecessorCount();
        failure = null;
        frame.begin();
        state.set(NodeState.WAITING);
    }

    boolean isSource() {
        return step.predecessorCount() == 0;
    }

    /** @return whether that was the last thing it waited for */
    boolean predecessorFinished() {
        return --outstanding == 0;
    }

    NodeState state() {
        return state.get();
    }

    void become(NodeState next) {
        NodeState seen = state.get();
        if (!seen.canBecome(next) || !state.compareAndSet(seen, next)) {
            throw new IllegalStateException("node '" + node() + "' cannot become " + next + " from " + state.get());
        }
    }

    /** Its start threw. @return whether it had not said that it is done before */
    boolean endedByThrowing() {
        return state.compareAndSet(NodeState.STARTED, NodeState.COMPLETED);
    }

    /** What the kernel passed to its done; null if nothing failed. */
    Throwable failure() {
        return failure;
    }

    /** Checks what the kernel left, and passes it on. */
    void finish() {
        frame.checkOutputs();
        become(NodeState.FINISHED);
        frame.finish();
    }

    /** After a failed run, whether a kernel still works on its storage. What is being sent is held by the transfer itself. */
    boolean goesOn() {
        return state.get() == NodeState.STARTED && !(kernel instanceof TransferKernel);
    }

    @Override
    public String toString() {
        return "node '" + node() + "' (" + node().operation().name() + ")";
    }

    /** What one run of an asynchronous kernel says that it is done with; of no use for a later one. */
    final class Done implements Consumer<Throwable> {
        private final AtomicReference<Thread> said = new AtomicReference<>();

        @Override
        public void accept(Throwable cause) {
            Thread thread = Thread.currentThread();
            if (!said.compareAndSet(null, thread)) {
                throw new IllegalStateException(
                        NodeRun.this + " says that it is done twice: on thread=" + thread.getName()
                                + " after thread=" + said.get().getName());
            }
            if (state.get() != NodeState.STARTED) {
                return; // its start threw, and that has been heard
            }
            failure = cause;
            if (state.compareAndSet(NodeState.STARTED, NodeState.COMPLETED)) {
                completed.accept(NodeRun.this);
            }
        }
    }
}
