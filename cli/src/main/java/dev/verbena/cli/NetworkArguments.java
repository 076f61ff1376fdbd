package dev.verbena.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.ConnectMode;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.PeerSecret;
import picocli.CommandLine.Option;

/**
 * How an RDMA fabric uses its network: options that override the environment's {@code RDMA_*} variables, some also by the letters of perftest. And
 * how long a peer may stand still.
 *
 * <p><b>Owner:</b> the command. <b>Threading:</b> confined to its thread.
 */
public final class NetworkArguments {
    /** An option, the variable that it overrides, and what it does; its value is null where it was not given. */
    private record Argument<T>(String option, T value, String variable,
            BiFunction<NetworkOptions, T, NetworkOptions> with) {
        NetworkOptions applyTo(NetworkOptions options) {
            try {
                return with.apply(options, value);
            } catch (IllegalArgumentException e) {
                throw new BadInputException(this + ": " + e.getMessage());
            }
        }

        @Override
        public String toString() {
            return option + "=" + value;
        }
    }

    /** In the lower case in which users give them; any will do. */
    static final class IdlePollers extends Candidates {
        @Override
        protected List<String> words() {
            return List.of("polling", "events");
        }
    }

    /** Likewise. */
    static final class ConnectModes extends Candidates {
        @Override
        protected List<String> words() {
            return List.of("auto", "cm", "direct");
        }
    }

    private static final String DEVICE = "--rdma-device";
    private static final String PORT = "--rdma-port";
    private static final String GID_INDEX = "--rdma-gid-index";
    private static final String PKEY_INDEX = "--rdma-pkey-index";
    private static final String QUEUE_DEPTH = "--rdma-queue-depth";
    private static final String TIMEOUT = "--rdma-timeout";
    private static final String RETRY_COUNT = "--rdma-retry-count";
    private static final String SERVICE_LEVEL = "--rdma-service-level";
    private static final String MTU = "--rdma-mtu";
    private static final String TRAFFIC_CLASS = "--rdma-traffic-class";
    private static final String COMPLETION_MODE = "--rdma-completion-mode";
    private static final String CONNECT_MODE = "--rdma-connect";
    private static final String PEER_TIMEOUT = "--peer-timeout-ms";
    private static final String SECRET_FILE = "--secret-file";

    @Option(names = {DEVICE, "-d", "--ib-dev"}, paramLabel = "NAME",
            description = "RDMA device; default: RDMA_DEVICE, or the first that has an active port.")
    private String device;
    @Option(names = {PORT, "-i", "--ib-port"}, paramLabel = "N",
            description = "Port of that device; default: RDMA_DEVICE_PORT, or its first active one.")
    private Integer port;
    @Option(names = {GID_INDEX, "-x", "--gid-index"}, paramLabel = "N",
            description = "Index in the port's GID table; default: RDMA_GID_INDEX, or a suitable one, RoCE v2 preferred.")
    private Integer gidIndex;
    @Option(names = PKEY_INDEX, paramLabel = "N",
            description = "Index in the port's P_Key table; default: RDMA_QP_PKEY_INDEX, or 0.")
    private Integer pkeyIndex;
    @Option(names = QUEUE_DEPTH, paramLabel = "N",
            description = "Outstanding requests per queue pair; default: RDMA_QP_QUEUE_DEPTH, or 1024.")
    private Integer queueDepth;
    @Option(names = TIMEOUT, paramLabel = "N",
            description = "A packet is sent again after 4.096 us times 2^N; default: RDMA_QP_TIMEOUT, or 14.")
    private Integer timeout;
    @Option(names = RETRY_COUNT, paramLabel = "N",
            description = "How often a packet is sent again; default: RDMA_QP_RETRY_COUNT, or 7.")
    private Integer retryCount;
    @Option(names = SERVICE_LEVEL, paramLabel = "N", description = "Service level; default: RDMA_QP_SL, or 0.")
    private Integer serviceLevel;
    @Option(names = {MTU, "-m", "--mtu"}, paramLabel = "BYTES",
            description = "MTU of the path; default: RDMA_QP_MTU, or the port's active MTU.")
    private Integer mtu;
    @Option(names = TRAFFIC_CLASS, paramLabel = "N",
            description = "Traffic class of the packets; default: RDMA_TRAFFIC_CLASS, or 0.")
    private Integer trafficClass;
    @Option(names = COMPLETION_MODE, paramLabel = "MODE",
            completionCandidates = IdlePollers.class,
            description = "What an idle poller does: polling, or events, which lets it sleep; default: RDMA_COMPLETION_MODE,"
                    + " or polling.")
    private CompletionMode completionMode;
    @Option(names = CONNECT_MODE, paramLabel = "MODE", completionCandidates = ConnectModes.class,
            description = "How queue pairs are connected: directly, through rdma_cm (cm), or as the device needs it (auto); default:"
                    + " RDMA_CONNECT, or auto.")
    private ConnectMode connectMode;
    @Option(names = {"-R", "--rdma_cm"}, description = "As " + CONNECT_MODE + "=cm.")
    private boolean isCm;
    @Option(names = PEER_TIMEOUT, paramLabel = "MS",
            description = "A process that stands still for longer is given up by the others, on every fabric; 0 for never; default:"
                    + " VERBENA_PEER_TIMEOUT_MS, or 10000.")
    private Integer peerTimeoutMs;
    @Option(names = SECRET_FILE, paramLabel = "FILE",
            description = "Only processes that know the secret in this file connect to each other, on every fabric; default:"
                    + " VERBENA_SECRET_FILE, or none.")
    private Path secretFile;

    /** Made by the command line. */
    public NetworkArguments() {}

    /** The environment's, except for what was given here. */
    public NetworkOptions options() {
        return options(System.getenv());
    }

    /** A variable that is overridden may say what it likes. */
    NetworkOptions options(Map<String, String> variables) {
        Map<String, String> environment = new HashMap<>(variables);
        given().forEach(argument -> environment.remove(argument.variable()));
        try {
            NetworkOptions options = NetworkOptions.ofEnvironment(environment);
            for (Argument<?> argument : given()) {
                options = argument.applyTo(options);
            }
            return options;
        } catch (IllegalArgumentException e) {
            throw new BadInputException(e.getMessage());
        }
    }

    /** What was given, as a child process is to be given it; the environment it inherits. */
    List<String> toCommandLine() {
        return given().stream().map(Argument::toString).toList();
    }

    private List<Argument<?>> given() {
        List<Argument<?>> given = new ArrayList<>(List.of(
                new Argument<>(DEVICE, device, "RDMA_DEVICE", NetworkOptions::withDevice),
                new Argument<>(PORT, port, "RDMA_DEVICE_PORT", NetworkOptions::withPort),
                new Argument<>(GID_INDEX, gidIndex, "RDMA_GID_INDEX", NetworkOptions::withGidIndex),
                new Argument<>(PKEY_INDEX, pkeyIndex, "RDMA_QP_PKEY_INDEX", NetworkOptions::withPkeyIndex),
                new Argument<>(QUEUE_DEPTH, queueDepth, "RDMA_QP_QUEUE_DEPTH", NetworkOptions::withQueueDepth),
                new Argument<>(TIMEOUT, timeout, "RDMA_QP_TIMEOUT", NetworkOptions::withTimeout),
                new Argument<>(RETRY_COUNT, retryCount, "RDMA_QP_RETRY_COUNT", NetworkOptions::withRetryCount),
                new Argument<>(SERVICE_LEVEL, serviceLevel, "RDMA_QP_SL", NetworkOptions::withServiceLevel),
                new Argument<>(MTU, mtu, "RDMA_QP_MTU", NetworkOptions::withMtu),
                new Argument<>(TRAFFIC_CLASS, trafficClass, "RDMA_TRAFFIC_CLASS", NetworkOptions::withTrafficClass),
                new Argument<>(COMPLETION_MODE, completionMode, "RDMA_COMPLETION_MODE",
                        NetworkOptions::withCompletionMode),
                new Argument<>(CONNECT_MODE, isCm ? ConnectMode.CM : connectMode, "RDMA_CONNECT",
                        NetworkOptions::withConnectMode),
                new Argument<>(PEER_TIMEOUT, peerTimeoutMs, "VERBENA_PEER_TIMEOUT_MS",
                        NetworkOptions::withPeerTimeoutMs),
                new Argument<>(SECRET_FILE, secretFile, "VERBENA_SECRET_FILE",
                        (network, file) -> network.withSecret(PeerSecret.ofFile(file)))));
        given.removeIf(argument -> argument.value() == null);
        return given;
    }
}
