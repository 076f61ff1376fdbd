package dev.verbena.cli.perf;

import dev.verbena.cli.BadInputException;
import dev.verbena.transfer.ConnectMode;
import dev.verbena.transfer.NetworkOptions;
import picocli.CommandLine.Option;

/** What an RDMA fabric uses of its network, by perftest's letters; they override the environment's {@code RDMA_*} variables. */
final class PerfNetworkArguments {
    @Option(names = {"-d", "--ib-dev"}, paramLabel = "NAME",
            description = "RDMA device; default: RDMA_DEVICE, or the first that has an active port.")
    String device;
    @Option(names = {"-i", "--ib-port"}, paramLabel = "N",
            description = "Port of that device; default: RDMA_DEVICE_PORT, or its first active one.")
    Integer port;
    @Option(names = {"-x", "--gid-index"}, paramLabel = "N",
            description = "Index in the port's GID table; default: RDMA_GID_INDEX, or a suitable one, RoCE v2 preferred.")
    Integer gidIndex;
    @Option(names = {"-m", "--mtu"}, paramLabel = "BYTES",
            description = "MTU of the path, 256 to 4096; default: RDMA_QP_MTU, or the port's active MTU.")
    Integer mtu;
    @Option(names = {"-R", "--rdma_cm"},
            description = "Connect through rdma_cm; default: RDMA_CONNECT, or only where the device cannot be connected otherwise.")
    boolean connectsByCm;

    NetworkOptions options() {
        try {
            NetworkOptions options = NetworkOptions.ofEnvironment(System.getenv());
            options = device == null ? options : options.withDevice(device);
            options = port == null ? options : options.withPort(port);
            options = gidIndex == null ? options : options.withGidIndex(gidIndex);
            options = mtu == null ? options : options.withMtu(mtu);
            return connectsByCm ? options.withConnectMode(ConnectMode.CM) : options;
        } catch (IllegalArgumentException e) {
            throw new BadInputException(e.getMessage());
        }
    }
}
