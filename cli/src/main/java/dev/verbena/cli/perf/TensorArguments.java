package dev.verbena.cli.perf;

import static dev.verbena.cli.BadInputException.requireRange;

import java.util.List;

import dev.verbena.cli.BadInputException;
import dev.verbena.cli.FabricOption;
import dev.verbena.cli.NetworkArguments;
import dev.verbena.cli.ProgressArguments;
import dev.verbena.transfer.Striping;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of {@code verbena perf tensor}, checked as far as one can before a fabric is open. */
final class TensorArguments {
    private static final int PORT_MAX = 65_535;
    private static final int WINDOW_MAX = 1024;
    private static final int WARM_UP_MAX = 10_000_000;
    private static final int ROUNDS_MAX = 1000;

    @Parameters(index = "0", arity = "0..1", paramLabel = "HOST",
            description = "Where the server is; without it, this is the server.")
    String host;
    @Option(names = "--protocol", paramLabel = "NAME", defaultValue = "static",
            completionCandidates = TensorProtocol.Names.class,
            description = "static: the receiver's slots are known before; dynamic: it allocates each tensor when it is told of it, and"
                    + " reads it; exchange: by name and step, in messages (eager) or read (rendezvous) as costs are; eager,"
                    + " rendezvous: the same, one of the two only; placed: it is computed in the receiver's slot, where the fabric maps"
                    + " that; coalesced: as exchange, held until a message is full. Of several, such as static,dynamic, one after the other with each"
                    + " size; the client's counts; default ${DEFAULT-VALUE}.")
    String protocols;
    @Option(names = "--sizes", paramLabel = "SIZES", defaultValue = "8..16M",
            description = "Of tensors, in bytes: 8..1G is every power of two, 8..1G:8 every third, 64,4K,1M a list; of both"
                    + " sides; default ${DEFAULT-VALUE}.")
    String sizes;
    @Mixin
    FabricOption fabric;
    @Option(names = {"-p", "--port"}, paramLabel = "N", defaultValue = "18515",
            description = "Port to listen on or connect to; default ${DEFAULT-VALUE}.")
    int port;
    @Mixin
    NetworkArguments network;
    @Mixin
    ProgressArguments progress;
    @Option(names = {"-n", "--iters", "--iterations"}, paramLabel = "N", defaultValue = "1000",
            description = "Round trips of a size, and five times as many tensors for its bandwidth; fewer of large ones, but at"
                    + " least 5; default ${DEFAULT-VALUE}.")
    int iterations;
    @Option(names = {"-w", "--window"}, paramLabel = "N", defaultValue = "16",
            description = "Slots of the receiver, for bandwidth; fewer of large tensors, but at least 2; the client's counts;"
                    + " default ${DEFAULT-VALUE}.")
    int window;
    @Option(names = "--stripes", paramLabel = "N", defaultValue = "1",
            description = "Queue pairs that a large tensor goes over at the same time, 1 to 8; where pollers drive, each with a"
                    + " completion queue and a poller; of both sides; default ${DEFAULT-VALUE}.")
    int stripes;
    @Option(names = "--touch",
            description = "Write every byte of a tensor before it is sent, and compare all after it arrived, as programs do that"
                    + " compute; without it, its first and last 8 bytes, so that the rest stays in the reader's cache; of both sides.")
    boolean touches;
    @Option(names = "--warm-up", paramLabel = "N", defaultValue = "30000",
            description = "Before each measurement, tensors of its size are sent until so many passed without the JIT of either side"
                    + " compiling, for two seconds at most, ten of the first size; default ${DEFAULT-VALUE}.")
    int warmUp;
    @Option(names = "--rounds", paramLabel = "N", defaultValue = "1",
            description = "Measure each size N times by each protocol, these in turn, and show the medians, for machines on which times"
                    + " change; the client's counts; default ${DEFAULT-VALUE}.")
    int rounds;

    TensorOptions check() {
        List<TensorProtocol> all = TensorProtocol.parse(protocols);
        requireRange("-p", port, host == null ? 0 : 1, PORT_MAX);
        requireRange("-n", iterations, TensorOptions.ITERATIONS_MIN, PerfArguments.LATENCIES_MAX);
        requireRange("-w", window, TensorOptions.WINDOW_MIN, WINDOW_MAX);
        requireRange("--warm-up", warmUp, 0, WARM_UP_MAX);
        requireRange("--rounds", rounds, 1, ROUNDS_MAX);
        requireRange("--stripes", stripes, 1, Striping.QUEUE_PAIRS_MAX);
        List<Long> byteSizes = Sizes.parse(sizes, TensorOptions.BYTE_SIZE_MIN, TensorOptions.BYTE_SIZE_MAX);
        return new TensorOptions(host, port, fabric.name(), network.options(), all, byteSizes, iterations, window,
                warmUp, rounds,
                progress.check(), stripes, touches);
    }
}
