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

    /** Throws {@link IllegalArgumentException} if the name has not 1 to 512 bytes, a count is below 1, or callers drive several queues. */
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

    /** What peers call this process in their messages, 1 to 512 bytes in UTF-8; {@code verbena} unless set. */
    public RdmaDeviceOptions withName(String name) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    /** {@code shm}, {@code verbs}, another provider's name, or {@code auto}, the default: the preferred one that can be used here. */
    public RdmaDeviceOptions withFabric(String fabric) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    /** Where to listen; port 0 takes a free one. Unless set, a free one of the loopback interface, which other hosts cannot reach. */
    public RdmaDeviceOptions withLocalEndpoint(Endpoint localEndpoint) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    /** Completion queues, each with a thread of its own where pollers drive; callers drive one only. 1 unless set. */
    public RdmaDeviceOptions withCompletionQueues(int completionQueues) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    /** Data queue pairs of each connection that this device makes, as far as the peer admits them; 2 unless set. */
    public RdmaDeviceOptions withQueuePairsPerPeer(int queuePairsPerPeer) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    /** How its receivers see that a tensor is there; AUTO unless set. TAIL is refused where the fabric does not write in order. */
    public RdmaDeviceOptions withArrivalMode(ArrivalMode arrivalMode) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    /** Replaces all network options, what the {@code RDMA_*} variables gave and the queue depth included. */
    public RdmaDeviceOptions withNetwork(NetworkOptions network) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    /** Whose threads move transfers on; {@link Progress#pollers} unless set. Callers take one completion queue only. */
    public RdmaDeviceOptions withProgress(Progress progress) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    /** What this device grants those that connect to it; 4096 peers with 64 data queue pairs each unless set. */
    public RdmaDeviceOptions withAdmission(Admission admission) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    /** Over how many queue pairs one large tensor goes; unless set, as many as there are completion queues, from 512 KiB on. */
    public RdmaDeviceOptions withStriping(Striping striping) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, arrivalMode,
                network, progress, admission, striping);
    }

    /** Outstanding requests per queue pair, a power of two from 2 to 32768, as far as the fabric goes; 1024 unless set. */
    public RdmaDeviceOptions withQueueDepth(int queueDepth) {
        return withNetwork(network.withQueueDepth(queueDepth));
    }
}
