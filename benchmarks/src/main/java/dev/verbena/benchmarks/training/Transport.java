package dev.verbena.benchmarks.training;

import dev.verbena.benchmarks.report.Look;

/**
 * How tensors get from task to task.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum Transport {
    ZERO_COPY("zerocopy", Look.ours(0)), COPY("copy", Look.ours(1)), GRPC("grpc", Look.others(0));

    /** As {@code --transport} takes it. */
    public final String label;
    public final Look look;

    Transport(String label, Look look) {
        this.label = label;
        this.look = look;
    }
}
