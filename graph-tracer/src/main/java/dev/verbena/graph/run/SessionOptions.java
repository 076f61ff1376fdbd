package dev.verbena.graph.run;

import java.nio.file.Path;
import java.time.Duration;

import dev.verbena.graph.Graph;
import dev.verbena.graph.plan.TransferPlan;

/**
 * How a session runs.
 *
 * @param tracing whether allocation sites of sent tensors are learned when they are first sent; without, all are copied
 *        (the paper's RDMA.cp)
 * @param depth slots per crossing edge, at least 1
 * @param timeout the longest wait for a peer, at set-up and within a run
 * @param trace a file, each task's own, in which the allocation sites found are saved as they are found, and from which a session begins if it
 *        is there: then nothing that was learned before is copied, in the first iteration neither; null for none
 * @param kernels where the kernels of operations are found that are none themselves
 * @param dynamicByteSizeMax registered memory that the task may take, as it needs it, for what crosses with a shape that only the run tells;
 *        bytes. What does not fit is copied by who sends, and waits at who receives
 * @param name tells sessions apart that are open at the same time on one device; it is the same on all tasks. Without line ends, at most
 *        {@value #NAME_LENGTH_MAX} characters; empty for a session that is alone
 * @param allocatingThreads for which registered memory is planned: who sets the session up, who runs it, and each on which an asynchronous kernel
 *        allocates what is sent; at least 1. With more of them than planned for, what does not fit is copied
 * @param carrier what carries tensors between tasks in place of their devices; null for the devices themselves
 * @param lentByteSizeMin variables of that many bytes or more are lent where the fabric maps memory of peers: who reads one does so where it lies, and
 *        has no memory for it; the same on all tasks, at least 1, {@link Long#MAX_VALUE} for none. Without tracing none is
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record SessionOptions(boolean tracing, int depth, Duration timeout, Path trace, Kernels kernels,
        long dynamicByteSizeMax, String name, int allocatingThreads, EdgeCarrier carrier,
        long lentByteSizeMin) {
    /** Of a name. */
    public static final int NAME_LENGTH_MAX = 64;

    private static final long DYNAMIC_BYTE_SIZE_MAX = 1L << 30;
    /** What is smaller is written in less time than it takes to be told, on a busy processor, that it has been read. */
    private static final long LENT_BYTE_SIZE_MIN = 1L << 20;
    private static final Duration TIMEOUT_MAX = Duration.ofDays(365);

    /**
     * Checks each value. A carrier goes with tracing and without a trace file: nothing is learned where it carries.
     *
     * @throws IllegalArgumentException if a value is out of its range, or the timeout is 0 or over 365 days; the message says what to give
     */
    public SessionOptions {
        if (depth < 1) {
            throw new IllegalArgumentException("depth=" + depth + "; give at least 1");
        }
        if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(TIMEOUT_MAX) > 0) {
            throw new IllegalArgumentException("timeout=" + timeout + "; give more than 0 and at most " + TIMEOUT_MAX);
        }
        if (dynamicByteSizeMax < 0) {
            throw new IllegalArgumentException("dynamicByteSizeMax=" + dynamicByteSizeMax + "; give at least 0");
        }
        if (carrier != null && (!tracing || trace != null)) {
            throw new IllegalArgumentException("a carrier with "
                    + (tracing ? "trace=" + trace : "tracing=false")
                    + "; nothing is learned, and nothing copied into registered memory, where the device sends nothing");
        }
        if (lentByteSizeMin < 1) {
            throw new IllegalArgumentException("lentByteSizeMin=" + lentByteSizeMin + "; give at least 1");
        }
        if (allocatingThreads < 1) {
            throw new IllegalArgumentException("allocatingThreads=" + allocatingThreads + "; give at least 1");
        }
        if (name.length() > NAME_LENGTH_MAX || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("name of a session of length=" + name.length() + "; give at most "
                    + NAME_LENGTH_MAX + " characters, none of them a line end or another control character");
        }
    }

    /** Without a file for what is learned. */
    public SessionOptions(boolean tracing, int depth, Duration timeout) {
        this(tracing, depth, timeout, null, Kernels.standard(), DYNAMIC_BYTE_SIZE_MAX, "",
                TransferPlan.ALLOCATING_THREADS, null, LENT_BYTE_SIZE_MIN);
    }

    /** The same, and what is learned is kept in a file. */
    public SessionOptions withTrace(Path file) {
        return new SessionOptions(tracing, depth, timeout, file, kernels, dynamicByteSizeMax, name, allocatingThreads,
                carrier, lentByteSizeMin);
    }

    /** The same with other kernels. */
    public SessionOptions withKernels(Kernels found) {
        return new SessionOptions(tracing, depth, timeout, trace, found, dynamicByteSizeMax, name, allocatingThreads,
                carrier, lentByteSizeMin);
    }

    /** The same with more, or less, memory for what crosses with a shape that only the run tells. */
    public SessionOptions withDynamicMemory(long byteSizeMax) {
        return new SessionOptions(tracing, depth, timeout, trace, kernels, byteSizeMax, name, allocatingThreads,
                carrier, lentByteSizeMin);
    }

    /** The same for one of several sessions on a device. */
    public SessionOptions withName(String chosen) {
        return new SessionOptions(tracing, depth, timeout, trace, kernels, dynamicByteSizeMax, chosen,
                allocatingThreads, carrier, lentByteSizeMin);
    }

    /** The same where asynchronous kernels allocate on threads of their own. */
    public SessionOptions withAllocatingThreads(int count) {
        return new SessionOptions(tracing, depth, timeout, trace, kernels, dynamicByteSizeMax, name, count,
                carrier, lentByteSizeMin);
    }

    /** The same, and somebody else carries tensors between tasks. */
    public SessionOptions withCarrier(EdgeCarrier other) {
        return new SessionOptions(tracing, depth, timeout, trace, kernels, dynamicByteSizeMax, name, allocatingThreads,
                other, lentByteSizeMin);
    }

    /** The same, and smaller variables are lent, or only larger ones. */
    public SessionOptions withLending(long byteSizeMin) {
        return new SessionOptions(tracing, depth, timeout, trace, kernels, dynamicByteSizeMax, name, allocatingThreads,
                carrier, byteSizeMin);
    }

    /**
     * What crosses between the tasks of a graph, how, and how much registered memory each task's session will ask for.
     *
     * @param mapsPeerMemory whether the fabric of their devices does, {@code capabilities().mapsPeerMemory()}
     */
    public TransferPlan plan(Graph graph, boolean mapsPeerMemory) {
        TransferPlan plan = TransferPlan.of(graph, depth, allocatingThreads);
        if (carrier != null) {
            return plan.carried();
        }
        // Who copies all that is sent measures what sending costs, and so writes it.
        return tracing && mapsPeerMemory ? plan.lending(lentByteSizeMin) : plan;
    }

    /** Tracing, depth 1, 60 seconds, and 1 GiB for what crosses with a shape that only the run tells. */
    public static SessionOptions defaults() {
        return new SessionOptions(true, 1, Duration.ofSeconds(60));
    }
}
