package dev.verbena.transfer;

import java.util.Map;

/**
 * The numbers among the {@link NetworkOptions}: the environment variable that gives each, and what it may be.
 *
 * <p>The names are those of TensorFlow's verbs README, but for the last. The ranges are what the fields of a queue pair's attributes hold:
 * InfiniBand Architecture Specification volume 1, §9.7.6.1.3 (timeout), §9.7.5.2.8 (retries), §7.6.5 (service levels), §8.3
 * (traffic class), table 96 (MTU); port and GID index are one byte in {@code struct ibv_ah_attr}.
 */
enum NetworkVariable {
    PORT("RDMA_DEVICE_PORT", "port", 1, 255, false),
    GID_INDEX("RDMA_GID_INDEX", "gidIndex", 0, 255, false),
    PKEY_INDEX("RDMA_QP_PKEY_INDEX", "pkeyIndex", 0, 65_535, false),
    QUEUE_DEPTH("RDMA_QP_QUEUE_DEPTH", "queueDepth", 2, 32_768, true),
    TIMEOUT("RDMA_QP_TIMEOUT", "timeout", 0, 31, false),
    RETRY_COUNT("RDMA_QP_RETRY_COUNT", "retryCount", 0, 7, false),
    SERVICE_LEVEL("RDMA_QP_SL", "serviceLevel", 0, 15, false),
    MTU("RDMA_QP_MTU", "mtu", 256, 4096, true),
    TRAFFIC_CLASS("RDMA_TRAFFIC_CLASS", "trafficClass", 0, 255, false),
    PEER_TIMEOUT("VERBENA_PEER_TIMEOUT_MS", "peerTimeoutMs", 0, 86_400_000, false);

    private final String variable;
    private final String option;
    private final int min;
    private final int max;
    private final boolean isPowerOfTwo;

    NetworkVariable(String variable, String option, int min, int max, boolean isPowerOfTwo) {
        this.variable = variable;
        this.option = option;
        this.min = min;
        this.max = max;
        this.isPowerOfTwo = isPowerOfTwo;
    }

    void check(int value) {
        if (!allows(value)) {
            throw new IllegalArgumentException(option + "=" + value + "; give " + range());
        }
    }

    /** What the environment says, or the default where it says nothing. */
    int of(Map<String, String> environment, int otherwise) {
        String text = environment.get(variable);
        if (text == null || text.isBlank()) {
            return otherwise;
        }
        int value;
        try {
            value = Integer.parseInt(text.strip());
        } catch (NumberFormatException _) {
            throw refused(text);
        }
        if (!allows(value)) {
            throw refused(text);
        }
        return value;
    }

    private IllegalArgumentException refused(String text) {
        return new IllegalArgumentException(
                "environment variable " + variable + "=" + text + "; give " + range() + ", or unset it");
    }

    private boolean allows(int value) {
        return value >= min && value <= max && (!isPowerOfTwo || Integer.bitCount(value) == 1);
    }

    private String range() {
        return (isPowerOfTwo ? "a power of two from " : "a whole number from ") + min + " to " + max;
    }
}
