package dev.verbena.onnxruntime;

import java.time.Duration;

import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;

/**
 * How parts are run; processes of one model are given the same depth.
 *
 * @param threads that ONNX Runtime computes with in each process
 * @param depth inferences that may wait at a part while it computes: slots of each tensor that crosses
 * @param optimization what ONNX Runtime does to a graph before it runs it; fusing nodes changes the last bits of results, and where a model is
 *     cut nothing is fused
 * @param timeout how long a peer may take for its part of an inference, and to come up
 * @param dynamicByteSizeMax memory, in each process, for tensors whose size only the run tells
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record PartOptions(int threads, int depth, Optimization optimization, Duration timeout,
        long dynamicByteSizeMax) {
    private static final int DEPTH_MAX = 64;
    private static final long DYNAMIC_BYTE_SIZE_MAX = 256L << 20;

    /** ONNX Runtime's levels. */
    public enum Optimization {
        /** The graph as it is. */
        NONE(OptLevel.NO_OPT),
        /** What leaves results as they are: constants, nodes without effect. */
        BASIC(OptLevel.BASIC_OPT),
        /** Nodes are fused too. */
        EXTENDED(OptLevel.EXTENDED_OPT),
        /** And tensors laid out as the processor wants them. */
        ALL(OptLevel.ALL_OPT);

        private final OptLevel level;

        Optimization(OptLevel level) {
            this.level = level;
        }

        OptLevel level() {
            return level;
        }
    }

    /** Throws {@link IllegalArgumentException} unless threads is 1 or more, depth 1 to 64, and dynamicByteSizeMax 0 or more. */
    public PartOptions {
        if (threads < 1 || depth < 1 || depth > DEPTH_MAX || dynamicByteSizeMax < 0) {
            throw new IllegalArgumentException("threads=" + threads + " depth=" + depth + " dynamicByteSizeMax="
                    + dynamicByteSizeMax + "; give at least 1 thread, a depth of 1 to " + DEPTH_MAX
                    + ", and 0 bytes or more");
        }
    }

    /** One thread, two slots, all optimizations, a minute, 256 MiB. */
    public static PartOptions defaults() {
        return new PartOptions(1, 2, Optimization.ALL, Duration.ofMinutes(1), DYNAMIC_BYTE_SIZE_MAX);
    }

    /** Threads that ONNX Runtime computes one operator with, in each process, 1 or more; 1 unless set. */
    public PartOptions withThreads(int threads) {
        return new PartOptions(threads, depth, optimization, timeout, dynamicByteSizeMax);
    }

    /** Inferences that may wait at a part while it computes, 1 to 64, the same in all processes; 2 unless set. */
    public PartOptions withDepth(int depth) {
        return new PartOptions(threads, depth, optimization, timeout, dynamicByteSizeMax);
    }

    /** What ONNX Runtime does to a graph before it runs it; ALL unless set. From EXTENDED on the last bits of results may change. */
    public PartOptions withOptimization(Optimization optimization) {
        return new PartOptions(threads, depth, optimization, timeout, dynamicByteSizeMax);
    }

    /** How long a peer may take to come up, to send a tensor that is waited for, or to make room for one; one minute unless set. */
    public PartOptions withTimeout(Duration timeout) {
        return new PartOptions(threads, depth, optimization, timeout, dynamicByteSizeMax);
    }

    /** Bytes of registered memory, in each process, for tensors whose size only the run tells; 256 MiB unless set. */
    public PartOptions withDynamicByteSizeMax(long dynamicByteSizeMax) {
        return new PartOptions(threads, depth, optimization, timeout, dynamicByteSizeMax);
    }
}
