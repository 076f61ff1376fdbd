package dev.verbena.graph;

import java.util.List;

/**
 * What a node computes: a shape function for the analysis and a kernel for the run, in one of three modes (EuroSys'19 §4).
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> the shape function is pure; kernels run on executor threads, one run of a node
 * at a time.
 */
public sealed interface Operation {
    /** The operation's name, such as {@code MatMul}. */
    String name();

    /**
     * The types of the outputs, given those of the inputs; unknown dimensions may go in and come out.
     *
     * @throws IllegalArgumentException if the inputs do not fit each other; the message says which and how
     */
    List<TensorType> infer(List<TensorType> inputs);

    /** The input whose storage the kernel overwrites (a variable), or -1. Every other reader of it runs before. */
    default int mutatedInput() {
        return -1;
    }

    /** Done when its kernel returns. */
    non-sealed interface Synchronous extends Operation {
        void compute(KernelContext context);
    }

    /** Done when the kernel, or what it started, calls {@code done}; a failure is passed to it, null otherwise. */
    non-sealed interface Asynchronous extends Operation {
        void start(KernelContext context, java.util.function.Consumer<Throwable> done);
    }

    /** First polled until it is ready, going back to the tail of the ready queue each time it is not; then as asynchronous. */
    non-sealed interface PollingAsynchronous extends Operation {
        /** @return whether {@link #start} may run now */
        boolean poll(KernelContext context);

        void start(KernelContext context, java.util.function.Consumer<Throwable> done);
    }
}
