package dev.verbena.cli.perf;

import static dev.verbena.cli.BadInputException.require;
import static dev.verbena.cli.BadInputException.requireRange;

import java.util.stream.Stream;

import dev.verbena.cli.BadInputException;
import dev.verbena.cli.FabricOption;
import dev.verbena.cli.NetworkArguments;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of {@code verbena perf}: perftest's letters and long names, checked as far as one can before a fabric is open. */
final class PerfArguments {
    private static final int PORT_MAX = 65_535;
    static final int ITERATIONS_MIN = 5;
    static final long ITERATIONS_MAX = 1L << 32;
    /** Each latency is kept until the end. */
    static final long LATENCIES_MAX = 10_000_000;
    private static final long PEAK_ITERATIONS_MAX = 20_000;
    private static final int DEPTH_MAX = 15_000;
    static final int QUEUE_PAIRS_MAX = 128;
    private static final int SIGNAL_EVERY_MAX = 1024;
    private static final int INLINE_BYTE_SIZE_MAX = 912;
    private static final int DURATION_MAX = 86_400;
    private static final int WARM_UP_MAX = 10_000_000;

    @Parameters(index = "0", arity = "0..1", paramLabel = "TEST", completionCandidates = PerfTest.Names.class,
            description = "${COMPLETION-CANDIDATES}.")
    String test;
    @Parameters(index = "1", arity = "0..1", paramLabel = "HOST",
            description = "Where the server is; without it, this is the server.")
    String host;
    @Mixin
    FabricOption fabric;
    @Option(names = {"-p", "--port"}, paramLabel = "N", defaultValue = "18515",
            description = "Port to listen on or connect to; default ${DEFAULT-VALUE}.")
    int port;
    @Mixin
    NetworkArguments network;
    @Option(names = {"-s", "--size"}, paramLabel = "BYTES",
            description = "Message size; default 65536 for bandwidth, 2 for latency, 8 for atomics and put_lat.")
    Long byteSize;
    @Option(names = {"-a", "--all"}, description = "Every size from 2 to 2^23.")
    boolean isAll;
    @Option(names = {"-n", "--iters", "--iterations"}, paramLabel = "N",
            description = "Messages per queue pair, at least 5; default 1000, 5000 for write_bw and put_bw.")
    Long iterations;
    @Option(names = {"-D", "--duration"}, paramLabel = "SECONDS",
            description = "As many messages as take about so long, instead of -n.")
    Integer durationSeconds;
    @Option(names = {"-q", "--qp"}, paramLabel = "N", defaultValue = "1",
            description = "Queue pairs of a bandwidth test; default ${DEFAULT-VALUE}.")
    int queuePairs;
    @Option(names = {"-t", "--tx-depth"}, paramLabel = "N",
            description = "Requests outstanding per queue pair; default 128 for bandwidth, 1 for latency.")
    Integer sendDepth;
    @Option(names = {"-r", "--rx-depth"}, paramLabel = "N", defaultValue = "512",
            description = "Receives posted per queue pair; default ${DEFAULT-VALUE}.")
    int receiveDepth;
    @Option(names = {"-l", "--post_list"}, paramLabel = "N", defaultValue = "1",
            description = "Requests of a bandwidth test posted at once, as a list; default ${DEFAULT-VALUE}.")
    int listSize;
    @Option(names = {"-Q", "--cq-mod"}, paramLabel = "N",
            description = "Signal every Nth request only; default 100, 1 above 8 KiB, with -l the list's size.")
    Integer signalEvery;
    @Option(names = {"-I", "--inline_size"}, paramLabel = "BYTES",
            description = "Writes and sends of up to so many bytes go into their requests, as far as the device takes it;"
                    + " default 0 for bandwidth, 220 for write_lat, 236 for send_lat.")
    Integer inlineByteSizeMax;
    @Option(names = {"-N", "--noPeak"},
            description = "Do not look for the best stretch; nobody does above 20000 messages.")
    boolean hasNoPeak;
    @Option(names = "--report_gbits", description = "Bandwidth in Gb/sec instead of MiB/sec.")
    boolean isGigabit;
    @Option(names = {"-F", "--CPU-freq"},
            description = "Accepted: the clock here does not depend on the CPU's frequency.")
    boolean ignoresCpuFrequency;
    @Option(names = "--warm-up", paramLabel = "N", defaultValue = "30000",
            description = "Before the measurement, small messages are posted until so many posts in a row passed without the"
                    + " JIT of either side compiling, then messages of the size itself, for two seconds at most; the"
                    + " client's counts; default ${DEFAULT-VALUE}.")
    int warmUp;

    PerfOptions check() {
        require(test != null, "say which TEST, or tensor; see verbena perf --help");
        PerfTest known = PerfTest.of(test).orElseThrow(() -> new BadInputException("there is no test '" + test
                + "'; give one of " + Stream.of(PerfTest.values()).map(PerfTest::toString).toList()));
        requireRange("-p", port, host == null ? 0 : 1, PORT_MAX);
        requireRange("-q", queuePairs, 1, QUEUE_PAIRS_MAX);
        int depth = sendDepth == null ? known.sendDepth() : sendDepth;
        requireRange("-t", depth, 1, DEPTH_MAX);
        requireRange("-r", receiveDepth, 1, DEPTH_MAX);
        requireRange("-l", listSize, 1, DEPTH_MAX);
        requireRange("--warm-up", warmUp, 0, WARM_UP_MAX);
        require(known.isBandwidth || queuePairs == 1, "-q=" + queuePairs + " is for bandwidth tests; leave it out");
        require(known.isBandwidth || listSize == 1, "-l=" + listSize + " is for bandwidth tests; leave it out");
        require(listSize <= depth, "-l=" + listSize + " is more than -t=" + depth + "; a list must fit");
        require(!isAll || byteSize == null, "-a and -s exclude each other");
        long size = byteSize == null ? known.byteSize() : byteSize;
        require(size > 0, "-s=" + size + "; give 1 or more");
        require(!known.isPut() || size % Long.BYTES == 0 && !isAll, "-s=" + (isAll ? "all" : size) + " does not suit "
                + known + "; a put ends with a word, so give a multiple of 8");
        require(!known.isPut() || depth == 1 && listSize == 1 && signalEvery == null,
                "-t, -l and -Q are for requests; leave them out of " + known);
        require(!known.isAtomic() || size == Long.BYTES && !isAll, "-s=" + (isAll ? "all" : size)
                + " does not suit " + known + "; an atomic has 8 bytes");
        if (inlineByteSizeMax != null) {
            requireRange("-I", inlineByteSizeMax, 0, INLINE_BYTE_SIZE_MAX);
            require(known.canInline() || inlineByteSizeMax == 0,
                    "-I=" + inlineByteSizeMax + " is for writes and sends; leave it out");
        }
        long count = count(known);
        if (signalEvery != null) {
            requireRange("-Q", signalEvery, 1, SIGNAL_EVERY_MAX);
            require(listSize % (listSize == 1 ? 1 : signalEvery) == 0,
                    "-l=" + listSize + " is no multiple of -Q=" + signalEvery
                            + "; the last of a list must be signaled");
        }
        return new PerfOptions(known, host, port, fabric.name(), network.options(), size, isAll, count,
                durationSeconds == null ? 0 : durationSeconds, queuePairs, depth, receiveDepth, listSize,
                signalEvery == null ? 0 : signalEvery,
                inlineByteSizeMax == null ? known.inlineByteSizeMax() : inlineByteSizeMax,
                !hasNoPeak && durationSeconds == null && count <= PEAK_ITERATIONS_MAX, isGigabit, warmUp);
    }

    private long count(PerfTest known) {
        if (durationSeconds != null) {
            requireRange("-D", durationSeconds, 1, DURATION_MAX);
            require(iterations == null, "-D and -n exclude each other");
            return 0;
        }
        long count = iterations == null ? known.iterations : iterations;
        requireRange("-n", count, ITERATIONS_MIN, known.isBandwidth ? ITERATIONS_MAX : LATENCIES_MAX);
        require(count % listSize == 0, "-n=" + count + " is no multiple of -l=" + listSize);
        return count;
    }
}
