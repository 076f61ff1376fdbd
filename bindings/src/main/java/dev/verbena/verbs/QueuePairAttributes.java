package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;

import dev.verbena.verbs.abi.ibv_qp_attr;
import dev.verbena.verbs.abi.ibv_qp_cap;

/**
 * Attributes of a queue pair: those to be changed, named by calling their method; or those that were asked for.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> confined to its owner.
 *
 * <p>Source: ibv_modify_qp(3), ibv_query_qp(3).
 */
public final class QueuePairAttributes {
    private final Set<QueuePairAttribute> given = EnumSet.noneOf(QueuePairAttribute.class);
    private QueuePairState state;
    private QueuePairState currentState;
    private boolean isDrainedNotified;
    private Set<AccessFlag> access = EnumSet.noneOf(AccessFlag.class);
    private int partitionKeyIndex;
    private int port;
    private int queueKey;
    private AddressVector addressVector;
    private int mtu;
    private int timeout;
    private int retryCount;
    private int receiverNotReadyRetry;
    private int receivePacketSequence;
    private int sendPacketSequence;
    private int readsOutstandingMax;
    private int readsAcceptedMax;
    private int receiverNotReadyTimer;
    private int destination;
    private int sendDepth;
    private int receiveDepth;
    private int sendElementCountMax;
    private int receiveElementCountMax;
    private int inlineByteSizeMax;

    /** None yet. */
    public QueuePairAttributes() {}

    /** To come to the state. */
    public static QueuePairAttributes to(QueuePairState state) {
        return new QueuePairAttributes().state(state);
    }

    private QueuePairAttributes state(QueuePairState state) {
        this.state = state;
        return give(QueuePairAttribute.STATE);
    }

    /** What the caller takes the present state to be, where the device may have left it by itself. */
    public QueuePairAttributes currentState(QueuePairState state) {
        currentState = state;
        return give(QueuePairAttribute.CURRENT_STATE);
    }

    /** Whether {@link AsyncEventType#SEND_QUEUE_DRAINED} shall be reported when the send queue is drained. */
    public QueuePairAttributes drainedNotification(boolean on) {
        isDrainedNotified = on;
        return give(QueuePairAttribute.DRAINED_NOTIFICATION);
    }

    /** What the peer may do: REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC. */
    public QueuePairAttributes access(Set<AccessFlag> access) {
        this.access = access;
        return give(QueuePairAttribute.ACCESS_FLAGS);
    }

    /** Where the partition's key stands in the port's table, from 0, as {@link DeviceContext#partitionKeyIndex} finds it. */
    public QueuePairAttributes partitionKeyIndex(int index) {
        partitionKeyIndex = index;
        return give(QueuePairAttribute.PARTITION_KEY_INDEX);
    }

    /** From 1. */
    public QueuePairAttributes port(int port) {
        this.port = port;
        return give(QueuePairAttribute.PORT);
    }

    /** For datagrams. */
    public QueuePairAttributes queueKey(int key) {
        queueKey = key;
        return give(QueuePairAttribute.QUEUE_KEY);
    }

    /** The way to the peer, with the port of this side; connected queue pairs need it to become READY_TO_RECEIVE. */
    public QueuePairAttributes addressVector(AddressVector vector) {
        addressVector = vector;
        return give(QueuePairAttribute.ADDRESS_VECTOR);
    }

    /** In bytes: 256 to 4096, a power of two. */
    public QueuePairAttributes mtu(int byteSize) {
        Mtu.code(byteSize);
        mtu = byteSize;
        return give(QueuePairAttribute.PATH_MTU);
    }

    /** 4.096 µs · 2^timeout; 0 for ever, at most 31. */
    public QueuePairAttributes timeout(int timeout) {
        this.timeout = timeout;
        return give(QueuePairAttribute.TIMEOUT);
    }

    /** At most 7. */
    public QueuePairAttributes retryCount(int count) {
        retryCount = count;
        return give(QueuePairAttribute.RETRY_COUNT);
    }

    /** At most 6; 7 for ever. */
    public QueuePairAttributes receiverNotReadyRetry(int count) {
        receiverNotReadyRetry = count;
        return give(QueuePairAttribute.RECEIVER_NOT_READY_RETRY);
    }

    /** 24 bits. */
    public QueuePairAttributes receivePacketSequence(int number) {
        receivePacketSequence = number;
        return give(QueuePairAttribute.RECEIVE_PACKET_SEQUENCE);
    }

    /** 24 bits. */
    public QueuePairAttributes sendPacketSequence(int number) {
        sendPacketSequence = number;
        return give(QueuePairAttribute.SEND_PACKET_SEQUENCE);
    }

    /** Own reads and atomics under way. */
    public QueuePairAttributes readsOutstandingMax(int count) {
        readsOutstandingMax = count;
        return give(QueuePairAttribute.READS_OUTSTANDING_MAX);
    }

    /** The peer's reads and atomics under way. */
    public QueuePairAttributes readsAcceptedMax(int count) {
        readsAcceptedMax = count;
        return give(QueuePairAttribute.READS_ACCEPTED_MAX);
    }

    /** A code as in {@link Retries#receiverNotReadyTimer}: 1 is 0.01 ms, 12 is 0.64 ms, 31 is 491.52 ms, 0 is 655.36 ms. */
    public QueuePairAttributes receiverNotReadyTimer(int code) {
        receiverNotReadyTimer = code;
        return give(QueuePairAttribute.RECEIVER_NOT_READY_TIMER);
    }

    /** The number of the peer's queue pair. */
    public QueuePairAttributes destination(int queuePairNumber) {
        destination = queuePairNumber;
        return give(QueuePairAttribute.DESTINATION);
    }

    private QueuePairAttributes give(QueuePairAttribute attribute) {
        given.add(attribute);
        return this;
    }

    /** Takes back what is not in the mask. */
    QueuePairAttributes only(int mask) {
        given.removeIf(attribute -> (QueuePairAttribute.mask(EnumSet.of(attribute)) & mask) == 0);
        return this;
    }

    /** Which are meant. */
    public Set<QueuePairAttribute> given() {
        return EnumSet.copyOf(given);
    }

    /** Null if it is not given. */
    public QueuePairState state() {
        return state;
    }

    /** What the peer may do; empty if it is not given. Of datagrams it means nothing. */
    public Set<AccessFlag> access() {
        return access;
    }

    /** Where the partition's key stands in the port's table, from 0; 0 also if it is not given. */
    public int partitionKeyIndex() {
        return partitionKeyIndex;
    }

    /** The port of this side, from 1; 0 if it is not given. */
    public int port() {
        return port;
    }

    /** What a datagram must carry to be taken, 32 bits, unsigned; 0 if it is not given, and of connected queue pairs. */
    public int queueKey() {
        return queueKey;
    }

    /** The way to the peer; null if it is not given. Of datagrams it means nothing. */
    public AddressVector addressVector() {
        return addressVector;
    }

    /** Bytes that a packet may carry: 256 to 4096, a power of two; 0 if it is not given. */
    public int mtu() {
        return mtu;
    }

    /** How long an acknowledgement is waited for: 4.096 µs times two to this power; 0 for ever, also if it is not given. */
    public int timeout() {
        return timeout;
    }

    /** How often what is not acknowledged is sent again, 0 to 7; 0 also if it is not given. Of reliable queue pairs. */
    public int retryCount() {
        return retryCount;
    }

    /** How often what found no receive at the peer is sent again, 0 to 6, or 7 for ever; 0 also if it is not given. */
    public int receiverNotReadyRetry() {
        return receiverNotReadyRetry;
    }

    /** The number of the peer's first packet, 24 bits; 0 also if it is not given. Of connected queue pairs. */
    public int receivePacketSequence() {
        return receivePacketSequence;
    }

    /** The number of this side's first packet, 24 bits; 0 also if it is not given. */
    public int sendPacketSequence() {
        return sendPacketSequence;
    }

    /** Own reads and atomics that may be under way; 0 for none, also if it is not given. Of reliable queue pairs. */
    public int readsOutstandingMax() {
        return readsOutstandingMax;
    }

    /** Reads and atomics of the peer that are taken at a time; 0 for none, also if it is not given. Of reliable queue pairs. */
    public int readsAcceptedMax() {
        return readsAcceptedMax;
    }

    /** How long the peer waits that found no receive here, as a code: 12 is 0.64 ms; 0 is 655.36 ms, or that it is not given. */
    public int receiverNotReadyTimer() {
        return receiverNotReadyTimer;
    }

    /** The number of the peer's queue pair, 24 bits; 0 if it is not given. Of connected queue pairs. */
    public int destination() {
        return destination;
    }

    /** Sends that may be outstanding, as the device granted them; 0 unless {@link QueuePair#query} gave it. */
    public int sendDepth() {
        return sendDepth;
    }

    /** Receives that may be posted, as the device granted them; 0 unless {@link QueuePair#query} gave it. */
    public int receiveDepth() {
        return receiveDepth;
    }

    /** Gather elements of a send, as the device granted them; 0 unless {@link QueuePair#query} gave it. */
    public int sendElementCountMax() {
        return sendElementCountMax;
    }

    /** Scatter elements of a receive, as the device granted them; 0 unless {@link QueuePair#query} gave it. */
    public int receiveElementCountMax() {
        return receiveElementCountMax;
    }

    /** Bytes of inline data of a send, as the device granted them; 0 for none, or unless {@link QueuePair#query} gave it. */
    public int inlineByteSizeMax() {
        return inlineByteSizeMax;
    }

    int mask() {
        return QueuePairAttribute.mask(given);
    }

    /** Into a zeroed struct ibv_qp_attr. */
    void write(MemorySegment attributes) {
        ibv_qp_attr.qp_state(attributes, state == null ? 0 : state.code());
        ibv_qp_attr.cur_qp_state(attributes, currentState == null ? 0 : currentState.code());
        ibv_qp_attr.en_sqd_async_notify(attributes, (byte) (isDrainedNotified ? 1 : 0));
        ibv_qp_attr.qp_access_flags(attributes, AccessFlag.bits(access));
        ibv_qp_attr.pkey_index(attributes, (short) partitionKeyIndex);
        ibv_qp_attr.port_num(attributes, (byte) port);
        ibv_qp_attr.qkey(attributes, queueKey);
        if (addressVector != null) {
            addressVector.write(ibv_qp_attr.ah_attr(attributes));
        }
        ibv_qp_attr.path_mtu(attributes, mtu == 0 ? 0 : Mtu.code(mtu));
        ibv_qp_attr.timeout(attributes, (byte) timeout);
        ibv_qp_attr.retry_cnt(attributes, (byte) retryCount);
        ibv_qp_attr.rnr_retry(attributes, (byte) receiverNotReadyRetry);
        ibv_qp_attr.rq_psn(attributes, receivePacketSequence);
        ibv_qp_attr.sq_psn(attributes, sendPacketSequence);
        ibv_qp_attr.max_rd_atomic(attributes, (byte) readsOutstandingMax);
        ibv_qp_attr.max_dest_rd_atomic(attributes, (byte) readsAcceptedMax);
        ibv_qp_attr.min_rnr_timer(attributes, (byte) receiverNotReadyTimer);
        ibv_qp_attr.dest_qp_num(attributes, destination);
    }

    /** All that there is in a struct ibv_qp_attr. */
    static QueuePairAttributes read(MemorySegment attributes) {
        MemorySegment capacities = ibv_qp_attr.cap(attributes);
        QueuePairAttributes read = to(QueuePairState.of(ibv_qp_attr.qp_state(attributes)))
                .access(AccessFlag.of(ibv_qp_attr.qp_access_flags(attributes)))
                .partitionKeyIndex(Short.toUnsignedInt(ibv_qp_attr.pkey_index(attributes)))
                .port(Byte.toUnsignedInt(ibv_qp_attr.port_num(attributes))).queueKey(ibv_qp_attr.qkey(attributes))
                .addressVector(AddressVector.read(ibv_qp_attr.ah_attr(attributes)))
                .timeout(ibv_qp_attr.timeout(attributes)).retryCount(ibv_qp_attr.retry_cnt(attributes))
                .receiverNotReadyRetry(ibv_qp_attr.rnr_retry(attributes))
                .receivePacketSequence(ibv_qp_attr.rq_psn(attributes))
                .sendPacketSequence(ibv_qp_attr.sq_psn(attributes))
                .readsOutstandingMax(Byte.toUnsignedInt(ibv_qp_attr.max_rd_atomic(attributes)))
                .readsAcceptedMax(Byte.toUnsignedInt(ibv_qp_attr.max_dest_rd_atomic(attributes)))
                .receiverNotReadyTimer(ibv_qp_attr.min_rnr_timer(attributes))
                .destination(ibv_qp_attr.dest_qp_num(attributes));
        int mtuCode = ibv_qp_attr.path_mtu(attributes);
        if (mtuCode != 0) {
            read.mtu(Mtu.byteSize(mtuCode));
        }
        read.sendDepth = ibv_qp_cap.max_send_wr(capacities);
        read.receiveDepth = ibv_qp_cap.max_recv_wr(capacities);
        read.sendElementCountMax = ibv_qp_cap.max_send_sge(capacities);
        read.receiveElementCountMax = ibv_qp_cap.max_recv_sge(capacities);
        read.inlineByteSizeMax = ibv_qp_cap.max_inline_data(capacities);
        return read;
    }
}
