package dev.verbena.transfer;

import java.nio.charset.StandardCharsets;

/**
 * How a device is made (EuroSys'19, Table 1: CreateRdmaDevice).
 *
 * @param name what peers call this process in their messages, such as {@code worker:0}
 * @param fabric {@code auto}, {@code shm} or {@code verbs}
 * @param localEndpoint where to listen; port 0 takes a free one
 * @param completionQueues completion queues; one if callers drive
 * @param queuePairsPerPeer data queue pairs of a connection
 * @param arrivalMode how a receiver sees that a tensor has arrived
 * @param network how an RDMA fabric uses its network, and the depth of queues on every fabric
 * @param progress whose threads move transfers on
 * @param admission what those that connect are granted
 * @param striping over how many queue pairs of a peer one large tensor goes
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record RdmaDeviceOptions(String name, String fabric, Endpoint localEndpoint, int completionQueues,
        int queuePairsPerPeer, ArrivalMode arrivalMode, NetworkOptions network, Progress progress,
        Admission admission, Striping striping) {
    private static final int NAME_BYTE_SIZE_MAX = 512;

    public RdmaDeviceOptions {
        int nameByteSize = name.getBytes(StandardCharsets.UTF_8).length;
        if (nameByteSize == 0 || nameByteSize > NAME_BYTE_SIZE_MAX) {
            throw new IllegalArgumentException("name of " + nameByteSize + " bytes; give 1 to " + NAME_BYTE_SIZE_MAX);
        }
        if (completionQueues < 1 || queuePairsPerPeer < 1) {
            throw new IllegalArgumentException("completionQueues=" + completionQueues + " queuePairsPerPeer="
                    + queuePairsPerPeer + "; give at least 1 of each");
        }
        if (!progress.byPollers() && completionQueues > 1) {
            throw new IllegalArgumentException("completionQueues=" + completionQueues
                    + " but a caller that waits sleeps on one; give 1, or Progress.pollers()");
        }
    }

    /**
     * {@code auto} on a free loopback port, 1 completion queue with a poller, 2 queue pairs per peer, and the network that the
     * {@code RDMA_*} variables of the process's environment describe.
     *
     * @throws IllegalArgumentException if one of them cannot be; see {@link NetworkOptions#ofEnvironment}
     */
    public static RdmaDeviceOptions defaults() {
        return defaults(NetworkOptions.ofEnvironment(System.getenv()));
    }

    /** The same, on this network, whatever the environment says. */
    public static RdmaDeviceOptions defaults(NetworkOptions network) {
        return new RdmaDeviceOptions("verbena", Fabrics.AUTO, new Endpoint("127.0.0.1", 0), 1, 2, ArrivalMode.AUTO,
                network, Progress.pollers(), Admission.defaults(), Striping.defaults());
    }

    /** Outstanding requests per queue pair; a power of two. */
    public int queueDepth() {
        return network.queueDepth();
    }

    public RdmaDeviceOptions withName(String name) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    public RdmaDeviceOptions withFabric(String fabric) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    public RdmaDeviceOptions withLocalEndpoint(Endpoint localEndpoint) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    public RdmaDeviceOptions withCompletionQueues(int completionQueues) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    public RdmaDeviceOptions withQueuePairsPerPeer(int queuePairsPerPeer) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    public RdmaDeviceOptions withArrivalMode(ArrivalMode arrivalMode) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    public RdmaDeviceOptions withNetwork(NetworkOptions network) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    public RdmaDeviceOptions withProgress(Progress progress) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    public RdmaDeviceOptions withAdmission(Admission admission) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    public RdmaDeviceOptions withStriping(Striping striping) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    public RdmaDeviceOptions withQueueDepth(int queueDepth) {
        return withNetwork(network.withQueueDepth(queueDepth));
    }
}
