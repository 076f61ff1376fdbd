package dev.verbena.verbs;

import java.util.function.Predicate;

/**
 * What a test takes for granted and not every RDMA device has. Whether one has it is asked of the device itself; see
 * {@link DeviceFacts}.
 */
public enum Need {
    ATOMICS("atomic operations", facts -> facts.limits().atomicCapability() != 0),
    UNRELIABLE_DATAGRAMS("queue pairs of unreliable datagrams", facts -> facts.makes(Trial.DATAGRAM_QUEUE_PAIR)),
    UNRELIABLE_CONNECTIONS("queue pairs of unreliable connections",
            facts -> facts.makes(Trial.UNRELIABLE_QUEUE_PAIR)),
    MEMORY_WINDOWS("memory windows",
            facts -> facts.limits().memoryWindowCountMax() > 0 && facts.hasFlag(Need.MEMORY_WINDOW_FLAG)),
    MEMORY_WINDOWS_OF_TYPE_2("memory windows that a request binds", facts -> MEMORY_WINDOWS.isMetBy(facts)
            && (facts.hasFlag(Need.MEMORY_WINDOW_2A_FLAG) || facts.hasFlag(Need.MEMORY_WINDOW_2B_FLAG))),
    SHARED_RECEIVE_QUEUES("shared receive queues", facts -> facts.limits().sharedReceiveQueueCountMax() > 0),
    SHARED_RECEIVE_QUEUE_QUERY("shared receive queues that can be queried",
            facts -> facts.makes(Trial.QUERY_OF_SHARED_RECEIVE_QUEUE)),
    SHARED_RECEIVE_QUEUE_RESIZING("shared receive queues that can be resized",
            facts -> SHARED_RECEIVE_QUEUES.isMetBy(facts) && facts.hasFlag(Need.SHARED_RECEIVE_QUEUE_RESIZE_FLAG)),
    COMPLETION_QUEUE_RESIZING("completion queues that can be resized",
            facts -> facts.makes(Trial.RESIZED_COMPLETION_QUEUE)),
    EXTENDED_COMPLETION_QUEUES("extended completion queues", facts -> facts.makes(Trial.EXTENDED_COMPLETION_QUEUE)),
    EXTENDED_QUEUE_PAIRS("extended queue pairs with all operations",
            facts -> facts.makes(Trial.EXTENDED_QUEUE_PAIR)),
    RECEIVES_WITHOUT_ELEMENTS("receives without elements", facts -> facts.makes(Trial.RECEIVE_WITHOUT_ELEMENTS)),
    /** Soft-iWARP takes such a registration, and the region's own address for its remote one all the same. */
    ZERO_BASED_REGIONS("regions that peers address by offset", facts -> facts.driver() != Driver.SOFT_IWARP),
    PARTITION_KEYS("partition keys", facts -> facts.limits().partitionKeyCountMax() > 0),
    RECEIVER_NOT_READY("senders that try again while the peer has no receive",
            facts -> facts.hasFlag(Need.RECEIVER_NOT_READY_FLAG)),
    CONNECTING_BY_HAND("queue pairs that modify connects, and not rdma_cm alone", Need::isInfiniBand),
    ACKNOWLEDGEMENTS("completions that wait for the peer and say what it refused", Need::isInfiniBand),
    POSTING_IN_ERROR("queue pairs that flush what is posted in state ERROR", Need::isInfiniBand),
    IMMEDIATES("sends and writes with immediate", Need::isInfiniBand),
    INFINIBAND_REQUESTS("connection requests that carry retries, queue pair numbers and padded private data",
            Need::isInfiniBand),
    ADDRESS_VECTORS("queue pairs that have an address vector and timeouts", Need::isInfiniBand),
    /** Soft-iWARP's completion of a receive does not look whether the send was solicited. */
    SOLICITED_EVENTS("events of solicited completions only", facts -> facts.driver() != Driver.SOFT_IWARP),
    IWARP("iWARP", facts -> facts.transport() == TransportType.IWARP),
    ROCE("an Ethernet port with RoCE",
            facts -> Need.isInfiniBand(facts) && facts.linkLayer() == LinkLayer.ETHERNET),
    SOFT_ROCE("the ways of soft-RoCE, which are not those of others", facts -> facts.driver() == Driver.SOFT_ROCE);

    /** enum ibv_device_cap_flags. */
    static final int RECEIVER_NOT_READY_FLAG = 1 << 12;
    static final int SHARED_RECEIVE_QUEUE_RESIZE_FLAG = 1 << 13;
    static final int MEMORY_WINDOW_FLAG = 1 << 17;
    static final int MEMORY_WINDOW_2A_FLAG = 1 << 23;
    static final int MEMORY_WINDOW_2B_FLAG = 1 << 24;

    private final String what;
    private final Predicate<DeviceFacts> isMet;

    Need(String what, Predicate<DeviceFacts> isMet) {
        this.what = what;
        this.isMet = isMet;
    }

    /** InfiniBand's transport, over Ethernet too. */
    private static boolean isInfiniBand(DeviceFacts facts) {
        return facts.transport() == TransportType.INFINIBAND;
    }

    boolean isMetBy(DeviceFacts facts) {
        return isMet.test(facts);
    }

    /** For instance "needs ATOMICS: atomic operations". */
    @Override
    public String toString() {
        return "needs " + name() + ": " + what;
    }
}
