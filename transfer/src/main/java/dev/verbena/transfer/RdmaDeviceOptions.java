package dev.verbena.transfer;

import java.nio.charset.StandardCharsets;

/**
 * How a device is made (EuroSys'19, Table 1: CreateRdmaDevice).
 *
 * @param name what peers call this process in their messages, such as {@code worker:0}
 * @param fabric {@code auto}, {@code shm} or {@code verbs}
 * @param localEndpoint where to listen; port 0 takes a free one
 * @param completionQueues completion queues, each with a poller thread
 * @param queuePairsPerPeer data queue pairs of a connection
 * @param queueDepth outstanding requests per queue pair; a power of two
 * @param arrivalMode how a receiver sees that a tensor has arrived
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record RdmaDeviceOptions(String name, String fabric, Endpoint localEndpoint, int completionQueues,
        int queuePairsPerPeer, int queueDepth, ArrivalMode arrivalMode) {
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
        if (queueDepth < 2 || Integer.bitCount(queueDepth) != 1) {
            throw new IllegalArgumentException("queueDepth=" + queueDepth + "; give a power of two, 2 or more");
        }
    }

    /** {@code auto} on a free loopback port, 1 completion queue, 2 queue pairs per peer, depth 128. */
    public static RdmaDeviceOptions defaults() {
        return new RdmaDeviceOptions("verbena", "auto", new Endpoint("127.0.0.1", 0), 1, 2, 128, ArrivalMode.AUTO);
    }

    public RdmaDeviceOptions withName(String name) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, queueDepth,
                arrivalMode);
    }

    public RdmaDeviceOptions withFabric(String fabric) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, queueDepth,
                arrivalMode);
    }

    public RdmaDeviceOptions withLocalEndpoint(Endpoint localEndpoint) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, queueDepth,
                arrivalMode);
    }

    public RdmaDeviceOptions withCompletionQueues(int completionQueues) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, queueDepth,
                arrivalMode);
    }

    public RdmaDeviceOptions withQueuePairsPerPeer(int queuePairsPerPeer) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, queueDepth,
                arrivalMode);
    }

    public RdmaDeviceOptions withQueueDepth(int queueDepth) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, queueDepth,
                arrivalMode);
    }

    public RdmaDeviceOptions withArrivalMode(ArrivalMode arrivalMode) {
        return new RdmaDeviceOptions(name, fabric, localEndpoint, completionQueues, queuePairsPerPeer, queueDepth,
                arrivalMode);
    }
}
