package dev.verbena.transfer;

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
