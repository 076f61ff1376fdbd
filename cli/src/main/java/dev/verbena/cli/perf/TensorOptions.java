package dev.verbena.cli.perf;

import java.util.Collections;
import java.util.List;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.Striping;

/**
 * A checked order to measure tensors.
 *
 * @param host of the server; null if this is the server
 * @param network of an RDMA fabric
 * @param protocols measured in this order; the first is what the others are compared with
 * @param iterations round trips of a small size
 * @param window slots for bandwidth, of a small size
 * @param warmUp tensors that must pass without the JIT compiling before anything is measured
 * @param progress whose threads move the tensors on
 * @param rounds how often each size is measured by each protocol, these in turn
 * @param stripes queue pairs that a large tensor goes over
 * @param touches whether every byte of a tensor is written before it is sent and read after it arrived
 */
record TensorOptions(String host, int port, String fabric, NetworkOptions network,
        List<TensorProtocol> protocols, List<Long> sizes, int iterations, int window, int warmUp, int rounds,
        Progress progress,
        int stripes, boolean touches) {
    /** Each tensor is stamped with its number. */
    static final long BYTE_SIZE_MIN = Long.BYTES;
    static final long BYTE_SIZE_MAX = 1L << 40;
    static final int ITERATIONS_MIN = 5;
    static final int WINDOW_MIN = 2;
    /** Each bandwidth is the median of so many. */
    static final int BANDWIDTHS = 5;
    /** What one measurement moves, of large tensors. */
    private static final long MEASURED_BYTE_SIZE = 2L << 30;
    private static final long WINDOW_BYTE_SIZE = 256 << 20;
    private static final int DEPTH = 4;
    private static final long DEPTH_BYTE_SIZE = 1 << 20;
    private static final int STREAMED_PER_ROUND_TRIP = 5;
    /** As perftest's write_lat has it. */
    private static final int INLINE_BYTE_SIZE_MAX = 220;
    private static final int RAW_DEPTH = 128;
    /** As a device has unless told otherwise. */
    private static final int QUEUE_PAIRS_MIN = 2;
    private static final int RAW_SIGNAL_EVERY = 100;

    boolean isServer() {
        return host == null;
    }

    int roundTrips(long byteSize) {
        return Math.clamp(MEASURED_BYTE_SIZE / byteSize, ITERATIONS_MIN, iterations);
    }

    long streamed(long byteSize) {
        return Math.clamp(MEASURED_BYTE_SIZE / byteSize, ITERATIONS_MIN, (long) STREAMED_PER_ROUND_TRIP * iterations);
    }

    /** Slots of either side while one tensor is under way: some, as programs have that are not held up, of what is not large. */
    int depth(long byteSize) {
        return Math.clamp(DEPTH_BYTE_SIZE / byteSize, 1, DEPTH);
    }

    int window(long byteSize) {
        return Math.clamp(WINDOW_BYTE_SIZE / byteSize, WINDOW_MIN, window);
    }

    /** Segments to copy into, beside those of the window. */
    int targets(long byteSize) {
        return Math.clamp(WINDOW_BYTE_SIZE / byteSize, 1, window);
    }

    /** Of the device that the tensors go through. */
    RdmaDeviceOptions device(String fabricName) {
        String local = fabricName.equals("shm") ? "127.0.0.1" : "0.0.0.0";
        return RdmaDeviceOptions.defaults(network).withFabric(fabricName).withLocalEndpoint(new Endpoint(local, 0))
                .withProgress(progress)
                .withCompletionQueues(progress.byPollers() ? stripes : 1)
                .withQueuePairsPerPeer(Math.max(stripes, QUEUE_PAIRS_MIN)).withStriping(Striping.over(stripes))
                .withName("perf " + (isServer() ? "server" : "client"));
    }

    /** Of the fabric alone, to compare with: writes that are posted and polled by the thread that measures. */
    PerfOptions raw() {
        return new PerfOptions(PerfTest.WRITE_BW, host, port, fabric, network, Collections.max(sizes), false,
                iterations,
                0, 1, RAW_DEPTH, 1, 1, RAW_SIGNAL_EVERY, INLINE_BYTE_SIZE_MAX, false, false, warmUp);
    }
}
