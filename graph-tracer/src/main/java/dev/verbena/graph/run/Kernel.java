package dev.verbena.graph.run;

import java.util.function.Consumer;

/**
 * How an operation is computed, in one of three modes (EuroSys'19 §4). An {@link dev.verbena.graph.Operation} may be its own kernel, by
 * implementing both; others are given theirs by {@link Kernels}.
 *
 * <p><b>Owner:</b> the session that looked it up. <b>Threading:</b> runs on the session's thread, one run of a node at a time; what an
 * asynchronous one starts may go on on any one thread.
 */
public sealed interface Kernel {
    /** Done when it returns. */
    @FunctionalInterface
    non-sealed interface Synchronous extends Kernel {
        /** Computes the node and sets each of its outputs. What it throws fails the run, and is the cause in what the run throws. */
        void compute(KernelContext context);
    }

    /** Done when it, or what it started, calls {@code done}, once; a failure is passed to it, null otherwise. */
    @FunctionalInterface
    non-sealed interface Asynchronous extends Kernel {
        /** Begins, and may return before it is done; each output is set before {@code done} is called. What it throws fails the run too. */
        void start(KernelContext context, Consumer<Throwable> done);
    }

    /** First polled until it is ready, going back to the tail of the ready queue each time it is not; then as asynchronous. */
    non-sealed interface PollingAsynchronous extends Kernel {
        /** @return whether {@link #start} may run now */
        boolean poll(KernelContext context);

        /** As {@link Asynchronous#start}; called once in a run, right behind the {@link #poll} that says it may. */
        void start(KernelContext context, Consumer<Throwable> done);
    }
}
