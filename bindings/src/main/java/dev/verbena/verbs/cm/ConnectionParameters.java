package dev.verbena.verbs.cm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.abi.rdma_conn_param;
import dev.verbena.verbs.abi.rdma_ud_param;
import dev.verbena.verbs.ffi.Range;

/**
 * What two sides tell each other while they connect.
 *
 * @param readsAcceptedMax reads and atomics of the peer that may be outstanding here; 255 for as many as the device can
 * @param readsOutstandingMax own ones outstanding at the peer, likewise; an accepting side's own is at most what the
 *            request allows
 * @param hasFlowControl whether the device's hardware flow control is available
 * @param retryCount how often to send again what is not acknowledged; 0 to 7; the connecting side says it for both
 * @param receiverNotReadyRetry how often the peer sends again what finds no receive posted here; 0 to 6, or 7 for ever
 * @param queuePairNumber of a queue pair that was not made by {@link CmId#createQueuePair}, else of no account
 * @param usesSharedReceiveQueue whether that one does
 * @param privateData the program's own, to the peer's event; what arrives may be longer, padded with zeros
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: rdma_connect(3), rdma_accept(3).
 */
public record ConnectionParameters(int readsAcceptedMax, int readsOutstandingMax, boolean hasFlowControl,
        int retryCount, int receiverNotReadyRetry, int queuePairNumber, boolean usesSharedReceiveQueue,
        byte[] privateData) {
    private static final int DEVICE_MAX = 255;
    private static final int RETRY_MAX = 7;

    /** Copies the private data; that it and the numbers fit, {@link CmId#connect} and {@link CmId#accept} check. */
    public ConnectionParameters {
        privateData = privateData.clone();
    }

    /** All that the device can, and retries as librdmacm's own default has them: 7 and, for ever, 7. */
    public static ConnectionParameters defaults() {
        return new ConnectionParameters(DEVICE_MAX, DEVICE_MAX, false, RETRY_MAX, RETRY_MAX, 0, false, new byte[0]);
    }

    /** Reads and atomics that the peer may have under way here, and own ones there; 0 to 255, where 255, the default, is the device's most. */
    public ConnectionParameters withReads(int acceptedMax, int outstandingMax) {
        return new ConnectionParameters(acceptedMax, outstandingMax, hasFlowControl, retryCount,
                receiverNotReadyRetry, queuePairNumber, usesSharedReceiveQueue, privateData);
    }

    /**
     * How often what is not acknowledged is sent again, 0 to 7, which the connecting side says for both; and how often the peer
     * sends again what found no receive here, 0 to 6, or 7 for ever. Both are 7 unless set.
     */
    public ConnectionParameters withRetries(int count, int receiverNotReady) {
        return new ConnectionParameters(readsAcceptedMax, readsOutstandingMax, hasFlowControl, count,
                receiverNotReady, queuePairNumber, usesSharedReceiveQueue, privateData);
    }

    /** For a queue pair that was made by its protection domain; see {@link CmId#attributes}. */
    public ConnectionParameters withQueuePair(QueuePair pair, boolean usesSharedReceiveQueue) {
        return new ConnectionParameters(readsAcceptedMax, readsOutstandingMax, hasFlowControl, retryCount,
                receiverNotReadyRetry, pair.number(), usesSharedReceiveQueue, privateData);
    }

    /** What the peer's event brings, at most as many bytes as {@link CmPortSpace} says; none unless set. The array is copied. */
    public ConnectionParameters withPrivateData(byte[] data) {
        return new ConnectionParameters(readsAcceptedMax, readsOutstandingMax, hasFlowControl, retryCount,
                receiverNotReadyRetry, queuePairNumber, usesSharedReceiveQueue, data);
    }

    /** A copy, empty for none; what arrived may be longer than what was sent, padded with zeros. */
    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    /** Of an event that tells none. */
    static ConnectionParameters none() {
        return ofDatagram(new byte[0]);
    }

    private static ConnectionParameters ofDatagram(byte[] privateData) {
        return new ConnectionParameters(0, 0, false, 0, 0, 0, false, privateData);
    }

    /** Of an event about datagrams. */
    static ConnectionParameters readDatagram(MemorySegment parameters) {
        return ofDatagram(read(rdma_ud_param.private_data(parameters), rdma_ud_param.private_data_len(parameters)));
    }

    /** Of an event. */
    static ConnectionParameters read(MemorySegment parameters) {
        return new ConnectionParameters(Byte.toUnsignedInt(rdma_conn_param.responder_resources(parameters)),
                Byte.toUnsignedInt(rdma_conn_param.initiator_depth(parameters)),
                rdma_conn_param.flow_control(parameters) != 0,
                Byte.toUnsignedInt(rdma_conn_param.retry_count(parameters)),
                Byte.toUnsignedInt(rdma_conn_param.rnr_retry_count(parameters)), rdma_conn_param.qp_num(parameters),
                rdma_conn_param.srq(parameters) != 0,
                read(rdma_conn_param.private_data(parameters), rdma_conn_param.private_data_len(parameters)));
    }

    private static byte[] read(MemorySegment privateData, byte byteSize) {
        return byteSize == 0 ? new byte[0]
                : privateData.reinterpret(Byte.toUnsignedLong(byteSize)).toArray(ValueLayout.JAVA_BYTE);
    }

    MemorySegment write(Arena arena, int privateByteSizeMax) {
        Range.check("readsAcceptedMax", readsAcceptedMax, 0, DEVICE_MAX);
        Range.check("readsOutstandingMax", readsOutstandingMax, 0, DEVICE_MAX);
        Range.check("retryCount", retryCount, 0, RETRY_MAX);
        Range.check("receiverNotReadyRetry", receiverNotReadyRetry, 0, RETRY_MAX);
        MemorySegment parameters = rdma_conn_param.allocate(arena);
        rdma_conn_param.private_data(parameters, privateData(privateData, privateByteSizeMax, arena));
        rdma_conn_param.private_data_len(parameters, (byte) privateData.length);
        rdma_conn_param.responder_resources(parameters, (byte) readsAcceptedMax);
        rdma_conn_param.initiator_depth(parameters, (byte) readsOutstandingMax);
        rdma_conn_param.flow_control(parameters, (byte) (hasFlowControl ? 1 : 0));
        rdma_conn_param.retry_count(parameters, (byte) retryCount);
        rdma_conn_param.rnr_retry_count(parameters, (byte) receiverNotReadyRetry);
        rdma_conn_param.srq(parameters, (byte) (usesSharedReceiveQueue ? 1 : 0));
        rdma_conn_param.qp_num(parameters, queuePairNumber);
        return parameters;
    }

    /** Of any message of the connection manager; its length goes into one byte. */
    static MemorySegment privateData(byte[] data, int byteSizeMax, Arena arena) {
        if (data.length > byteSizeMax) {
            throw new IllegalArgumentException(
                    "private data of bytes=" + data.length + " does not fit: this message has"
                            + " room for bytes=" + byteSizeMax + "; send the rest over the connection");
        }
        return data.length == 0 ? MemorySegment.NULL : arena.allocateFrom(ValueLayout.JAVA_BYTE, data);
    }
}
