package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkOptionsTest {
    private final NetworkOptions options = NetworkOptions.defaults();

    /** The README's table, in its order. */
    @Test
    void defaultsAreTheReadmes() {
        assertNull(options.device());
        assertEquals(NetworkOptions.UNSET, options.port());
        assertEquals(NetworkOptions.UNSET, options.gidIndex());
        assertEquals(0, options.pkeyIndex());
        assertEquals(1024, options.queueDepth());
        assertEquals(14, options.timeout());
        assertEquals(7, options.retryCount());
        assertEquals(0, options.serviceLevel());
        assertEquals(NetworkOptions.UNSET, options.mtu());
        assertEquals(0, options.trafficClass());
        assertEquals(ConnectMode.AUTO, options.connectMode());
        assertEquals(10_000, options.peerTimeoutMs());
        assertEquals(options, NetworkOptions.ofEnvironment(Map.of("RDMA_QP_MTU", " ", "RDMA_DEVICE", "", "PATH", "x")));
    }

    @Test
    void everyVariableIsRead() {
        Map<String, String> environment = new HashMap<>(Map.of("RDMA_DEVICE", "mlx5_0", "RDMA_DEVICE_PORT", "2",
                "RDMA_GID_INDEX", "3", "RDMA_QP_PKEY_INDEX", "4", "RDMA_QP_QUEUE_DEPTH", "512", "RDMA_QP_TIMEOUT",
                "18", "RDMA_QP_RETRY_COUNT", "6", "RDMA_QP_SL", " 5 ", "RDMA_QP_MTU", "2048"));
        environment.put("RDMA_TRAFFIC_CLASS", "106");
        environment.put("RDMA_COMPLETION_MODE", "Events");
        environment.put("RDMA_CONNECT", " Cm ");
        environment.put("VERBENA_PEER_TIMEOUT_MS", "2500");
        NetworkOptions read = NetworkOptions.ofEnvironment(environment);
        assertEquals(new NetworkOptions("mlx5_0", 2, 3, 4, 512, 18, 6, 5, 2048, 106, CompletionMode.EVENTS,
                ConnectMode.CM, 2500, null, null), read);
        assertEquals(read, options.withDevice("mlx5_0").withPort(2).withGidIndex(3).withPkeyIndex(4)
                .withQueueDepth(512).withTimeout(18).withRetryCount(6).withServiceLevel(5).withMtu(2048)
                .withTrafficClass(106).withCompletionMode(CompletionMode.EVENTS).withConnectMode(ConnectMode.CM)
                .withPeerTimeoutMs(2500));
        environment.put("RDMA_COMPLETION_MODE", "polling");
        assertEquals(CompletionMode.POLLING, NetworkOptions.ofEnvironment(environment).completionMode());
    }

    /** The last value that is allowed and the first that is not, at both ends. */
    @ParameterizedTest
    @CsvSource({"RDMA_DEVICE_PORT, 1, 255, 0, 256", "RDMA_GID_INDEX, 0, 255, -1, 256",
            "RDMA_QP_PKEY_INDEX, 0, 65535, -1, 65536", "RDMA_QP_QUEUE_DEPTH, 2, 32768, 1, 65536",
            "RDMA_QP_TIMEOUT, 0, 31, -1, 32", "RDMA_QP_RETRY_COUNT, 0, 7, -1, 8", "RDMA_QP_SL, 0, 15, -1, 16",
            "RDMA_QP_MTU, 256, 4096, 128, 8192", "RDMA_TRAFFIC_CLASS, 0, 255, -1, 256",
            "VERBENA_PEER_TIMEOUT_MS, 0, 86400000, -1, 86400001"})
    void rangesAreKept(String variable, String least, String most, String below, String above) {
        NetworkOptions.ofEnvironment(Map.of(variable, least));
        NetworkOptions.ofEnvironment(Map.of(variable, most));
        assertRefused(variable, below, least, most);
        assertRefused(variable, above, least, most);
        assertRefused(variable, "many", least, most);
    }

    @Test
    void errorsNameVariableValueAndRange() {
        assertEquals("environment variable RDMA_QP_MTU=1500; give a power of two from 256 to 4096, or unset it",
                assertRefused("RDMA_QP_MTU", "1500", "256", "4096"));
        assertRefused("RDMA_QP_QUEUE_DEPTH", "1000", "2", "32768");
        assertRefused("RDMA_COMPLETION_MODE", "sleepy", "polling", "events");
        assertEquals("environment variable RDMA_CONNECT=tcp; give auto or cm or direct, or unset it",
                assertRefused("RDMA_CONNECT", "tcp", "auto", "direct"));
    }

    @Test
    void optionsAreCheckedLikeVariables() {
        assertEquals("timeout=32; give a whole number from 0 to 31",
                assertThrows(IllegalArgumentException.class, () -> options.withTimeout(32)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> options.withDevice(" "));
        assertThrows(IllegalArgumentException.class, () -> options.withPort(0));
        assertThrows(IllegalArgumentException.class, () -> options.withGidIndex(256));
        assertThrows(IllegalArgumentException.class, () -> options.withPkeyIndex(-1));
        assertThrows(IllegalArgumentException.class, () -> options.withQueueDepth(3));
        assertThrows(IllegalArgumentException.class, () -> options.withRetryCount(8));
        assertThrows(IllegalArgumentException.class, () -> options.withServiceLevel(16));
        assertThrows(IllegalArgumentException.class, () -> options.withMtu(1500));
        assertThrows(IllegalArgumentException.class, () -> options.withTrafficClass(256));
        assertEquals(options, options.withPort(1).withPort(NetworkOptions.UNSET));
    }

    private static String assertRefused(String variable, String value, String... named) {
        String message = assertThrows(IllegalArgumentException.class,
                () -> NetworkOptions.ofEnvironment(Map.of(variable, value))).getMessage();
        assertTrue(message.contains(variable + "=" + value), message);
        for (String each : named) {
            assertTrue(message.contains(each), message);
        }
        return message;
    }
}
