package dev.verbena.benchmarks.step;

import java.util.List;
import java.util.stream.Stream;

import dev.verbena.benchmarks.training.Transport;

/**
 * What is measured: a model, on one server and so many workers.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record StepCase(StepModel model, int workers) {
    /** For some seconds of either. */
    private static final long BYTES = 20L << 30;
    private static final long BYTES_GRPC = 2L << 30;
    private static final long BYTES_OF_A_PROCESS = 300L << 20;
    private static final int STEPS_MIN = 5;
    private static final int STEPS_MAX = 300;
    private static final int QUICK_STEPS = 2;

    List<String> tasks() {
        return Stream.concat(Stream.of(StepGraph.SERVER), StepGraph.workers(workers).stream()).toList();
    }

    /** Enough for a median. */
    int steps(Transport transport, boolean isQuick) {
        long byteSize = 2 * model.byteSize() * workers;
        return isQuick
                ? QUICK_STEPS
                : Math.clamp((transport == Transport.GRPC ? BYTES_GRPC : BYTES) / byteSize, STEPS_MIN, STEPS_MAX);
    }

    /** Memory that all processes take: variables and gradients on either side; as messages and in gRPC's buffers several times more. Roughly. */
    long byteSize(Transport transport) {
        long copies = transport == Transport.GRPC ? 12L : 4L;
        return model.byteSize() * (1 + copies * workers) + BYTES_OF_A_PROCESS * (1 + workers);
    }

    @Override
    public String toString() {
        return model.title() + ", " + workers + (workers == 1 ? " worker" : " workers");
    }
}
