package dev.verbena.cli.perf;

import java.util.List;

import dev.verbena.memory.ElementType;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDeviceOptions;

/**
 * A checked order to measure all-reduces, of one member.
 *
 * @param members where each rank listens, this one included
 * @param network of an RDMA fabric
 * @param iterations all-reduces of a small size that are measured
 * @param warmUp all-reduces of a small size before that
 */
record AllReduceOptions(List<Endpoint> members, int rank, String fabric, NetworkOptions network, ElementType type,
        List<Long> sizes, int iterations, int warmUp, Progress progress) {
    /** At least one element of each type. */
    static final long BYTE_SIZE_MIN = Long.BYTES;
    static final long BYTE_SIZE_MAX = 1L << 36;
    static final int ITERATIONS_MIN = 5;
    /** What one measurement reduces, of large tensors. */
    private static final long MEASURED_BYTE_SIZE = 1L << 30;

    int rounds(long byteSize) {
        return Math.clamp(MEASURED_BYTE_SIZE / byteSize, ITERATIONS_MIN, iterations);
    }

    int rehearsals(long byteSize) {
        return Math.clamp(MEASURED_BYTE_SIZE / byteSize, Math.min(ITERATIONS_MIN, warmUp), warmUp);
    }

    RdmaDeviceOptions device() {
        return RdmaDeviceOptions.defaults(network).withFabric(fabric).withLocalEndpoint(members.get(rank))
                .withProgress(progress).withName("perf member " + rank);
    }

    /** What all members must have been given alike. */
    String common() {
        return "--type=" + type + " --sizes=" + sizes + " --iters=" + iterations + " --warm-up=" + warmUp;
    }
}
