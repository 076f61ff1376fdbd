package dev.verbena.transfer;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import javax.net.ssl.SSLContext;

/**
 * How an RDMA fabric uses its network; a fabric without one, such as {@code shm}, takes the queue depth, the peers' timeout, the
 * secret and TLS only.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Names, meaning and defaults are those of TensorFlow's verbs README, the completion mode, how to connect, the peers' timeout,
 * the secret and TLS are ours. Numbers that are
 * {@link #UNSET}, and a device that is null, are chosen when the fabric is opened.
 *
 * @param device such as mlx5_0; null for the first that has a port that can be used: active, with a suitable GID
 * @param port of that device, from 1; UNSET for the first that can be used. Not relevant where no device is named
 * @param gidIndex in the port's GID table; UNSET for a suitable one, RoCE v2 preferred
 * @param pkeyIndex in the port's P_Key table
 * @param queueDepth outstanding requests per queue pair; a power of two
 * @param timeout before a packet is sent again, 4.096 µs times two to this power; 0 waits for ever
 * @param retryCount how often a packet is sent again before the connection is given up
 * @param serviceLevel 0 to 15; on Ethernet, where it is a priority, 0 to 7
 * @param mtu of the path, in bytes; UNSET for the port's active MTU
 * @param trafficClass of the packets' IP header, for networks that tell traffic apart by DSCP
 * @param completionMode what an idle poller does
 * @param connectMode how queue pairs are connected
 * @param peerTimeoutMs after how many milliseconds without an answer of its control thread a peer, stopped or on a machine that hangs, is
 *     given up, at the latest; 0 for never. On every fabric
 * @param secret that peers must know, and this process shows to know; null for none. On every fabric
 * @param tls with whose keys this process shows who it is, and with whose trust managers it judges peers, which must show it too: then control
 *     sockets are encrypted; null for none. On every fabric; data are not encrypted
 */
public record NetworkOptions(String device, int port, int gidIndex, int pkeyIndex, int queueDepth, int timeout,
        int retryCount, int serviceLevel, int mtu, int trafficClass, CompletionMode completionMode,
        ConnectMode connectMode, int peerTimeoutMs, PeerSecret secret, SSLContext tls) {
    /** Of port, GID index and MTU: chosen when the fabric is opened. */
    public static final int UNSET = -1;

    private static final String DEVICE_VARIABLE = "RDMA_DEVICE";
    private static final String COMPLETION_MODE_VARIABLE = "RDMA_COMPLETION_MODE";
    private static final String CONNECT_MODE_VARIABLE = "RDMA_CONNECT";
    private static final String SECRET_FILE_VARIABLE = "VERBENA_SECRET_FILE";

    /** Throws {@link IllegalArgumentException} if a number is out of its range and not UNSET, where that may be, or the device is blank. */
    public NetworkOptions {
        if (device != null && device.isBlank()) {
            throw new IllegalArgumentException("device='" + device + "'; give a name such as mlx5_0, or null");
        }
        checkIfSet(NetworkVariable.PORT, port);
        checkIfSet(NetworkVariable.GID_INDEX, gidIndex);
        checkIfSet(NetworkVariable.MTU, mtu);
        NetworkVariable.PKEY_INDEX.check(pkeyIndex);
        NetworkVariable.QUEUE_DEPTH.check(queueDepth);
        NetworkVariable.TIMEOUT.check(timeout);
        NetworkVariable.RETRY_COUNT.check(retryCount);
        NetworkVariable.SERVICE_LEVEL.check(serviceLevel);
        NetworkVariable.TRAFFIC_CLASS.check(trafficClass);
        NetworkVariable.PEER_TIMEOUT.check(peerTimeoutMs);
    }

    /** What holds where nobody says anything else. */
    public static NetworkOptions defaults() {
        return new NetworkOptions(null, UNSET, UNSET, 0, 1024, 14, 7, 0, UNSET, 0, CompletionMode.POLLING,
                ConnectMode.AUTO, 10_000, null, null);
    }

    /**
     * The defaults, except for what these variables give: RDMA_DEVICE, RDMA_DEVICE_PORT, RDMA_GID_INDEX,
     * RDMA_QP_PKEY_INDEX, RDMA_QP_QUEUE_DEPTH, RDMA_QP_TIMEOUT, RDMA_QP_RETRY_COUNT, RDMA_QP_SL, RDMA_QP_MTU,
     * RDMA_TRAFFIC_CLASS, RDMA_COMPLETION_MODE ({@code polling} or {@code events}), RDMA_CONNECT ({@code auto}, {@code cm} or
     * {@code direct}), VERBENA_PEER_TIMEOUT_MS, and VERBENA_SECRET_FILE. Blank is as not there.
     *
     * @throws IllegalArgumentException which names the variable, its value and what it may be
     */
    public static NetworkOptions ofEnvironment(Map<String, String> environment) {
        NetworkOptions defaults = defaults();
        String device = environment.getOrDefault(DEVICE_VARIABLE, "").strip();
        return new NetworkOptions(device.isEmpty() ? null : device,
                NetworkVariable.PORT.of(environment, defaults.port),
                NetworkVariable.GID_INDEX.of(environment, defaults.gidIndex),
                NetworkVariable.PKEY_INDEX.of(environment, defaults.pkeyIndex),
                NetworkVariable.QUEUE_DEPTH.of(environment, defaults.queueDepth),
                NetworkVariable.TIMEOUT.of(environment, defaults.timeout),
                NetworkVariable.RETRY_COUNT.of(environment, defaults.retryCount),
                NetworkVariable.SERVICE_LEVEL.of(environment, defaults.serviceLevel),
                NetworkVariable.MTU.of(environment, defaults.mtu),
                NetworkVariable.TRAFFIC_CLASS.of(environment, defaults.trafficClass),
                choice(environment, COMPLETION_MODE_VARIABLE, defaults.completionMode),
                choice(environment, CONNECT_MODE_VARIABLE, defaults.connectMode),
                NetworkVariable.PEER_TIMEOUT.of(environment, defaults.peerTimeoutMs), secret(environment), null);
    }

    /** RDMA device by its name in the system, such as mlx5_0; null, the default, for the first that has a usable port. */
    public NetworkOptions withDevice(String device) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    /** Port of the named device, 1 to 255; UNSET, the default, for the first active one. Without a device named it does not count. */
    public NetworkOptions withPort(int port) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    /** Index in the port's GID table, 0 to 255; UNSET, the default, for a suitable one, RoCE v2 preferred and never link-local. */
    public NetworkOptions withGidIndex(int gidIndex) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    /** Index in the port's P_Key table, 0 to 65535: the partition that the queue pairs are in; 0 unless set. */
    public NetworkOptions withPkeyIndex(int pkeyIndex) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    /** Outstanding requests per queue pair, a power of two from 2 to 32768, as far as the fabric goes; 1024 unless set. */
    public NetworkOptions withQueueDepth(int queueDepth) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    /** A packet is sent again after 4.096 µs times two to this power, 0 to 31; 0 waits for ever. 14, which is 67 ms, unless set. */
    public NetworkOptions withTimeout(int timeout) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    /** How often a packet that is not acknowledged is sent again before the connection is given up, 0 to 7; 7 unless set. */
    public NetworkOptions withRetryCount(int retryCount) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    /** InfiniBand service level, 0 to 15, or Ethernet priority, 0 to 7; 0 unless set. */
    public NetworkOptions withServiceLevel(int serviceLevel) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    /** Path MTU in bytes, a power of two from 256 to 4096 and no more than the port's active MTU; UNSET, the default, for that. */
    public NetworkOptions withMtu(int mtu) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    /** Traffic class byte of the packets' IP header, 0 to 255: DSCP in the upper six bits, ECN in the lower two; 0 unless set. */
    public NetworkOptions withTrafficClass(int trafficClass) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    /** Whether an idle poller polls on or sleeps until the device raises an event; POLLING unless set. */
    public NetworkOptions withCompletionMode(CompletionMode completionMode) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    /** Whether queue pairs are connected through rdma_cm; both sides must do it alike, and iWARP knows no other way. AUTO unless set. */
    public NetworkOptions withConnectMode(ConnectMode connectMode) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    /** Milliseconds without an answer until a peer is given up, at most 86400000; 0 for never. 10000 unless set; on every fabric. */
    public NetworkOptions withPeerTimeoutMs(int peerTimeoutMs) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    /** Only peers that know the same secret are connected to, and let in; null, the default, asks for none. On every fabric. */
    public NetworkOptions withSecret(PeerSecret secret) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    /** Control sockets speak TLS 1.3 with these keys and trust managers, and peers must too; null, the default, for none. Not for data. */
    public NetworkOptions withTls(SSLContext tls) {
        return new NetworkOptions(device, port, gidIndex, pkeyIndex, queueDepth, timeout, retryCount, serviceLevel,
                mtu, trafficClass, completionMode, connectMode, peerTimeoutMs, secret, tls);
    }

    private static PeerSecret secret(Map<String, String> environment) {
        String file = environment.getOrDefault(SECRET_FILE_VARIABLE, "");
        try {
            return file.isBlank() ? null : PeerSecret.ofFile(Path.of(file.strip()));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("environment variable " + SECRET_FILE_VARIABLE + ": " + e.getMessage(),
                    e);
        }
    }

    private static void checkIfSet(NetworkVariable variable, int value) {
        if (value != UNSET) {
            variable.check(value);
        }
    }

    /** The constant of the default's type that the variable names, in whatever case. */
    private static <E extends Enum<E>> E choice(Map<String, String> environment, String variable, E otherwise) {
        String text = environment.getOrDefault(variable, "");
        if (text.isBlank()) {
            return otherwise;
        }
        List<E> all = List.of(otherwise.getDeclaringClass().getEnumConstants());
        return all.stream().filter(each -> each.name().equalsIgnoreCase(text.strip())).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("environment variable " + variable + "=" + text
                        + "; give " + names(all) + ", or unset it"));
    }

    private static String names(List<? extends Enum<?>> all) {
        return all.stream().map(each -> each.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(" or "));
    }
}
