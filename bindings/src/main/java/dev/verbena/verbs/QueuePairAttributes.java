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

    /** Whether SQ_DRAINED shall be reported when the send queue is drained. */
    public QueuePairAttributes drainedNotification(boolean on) {
        isDrainedNotified = on;
        return give(QueuePairAttribute.DRAINED_NOTIFICATION);
    }

    /** What the peer may do: REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC. */
    public QueuePairAttributes access(Set<AccessFlag> access) {
        this.access = access;
        return give(QueuePairAttribute.ACCESS_FLAGS);
    }

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

    /** A code of the table in ibv_modify_qp(3): 1 is 0.01 ms, 12 is 0.64 ms, 31 is 491.52 ms, 0 is 655.36 ms. */
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

    public Set<AccessFlag> access() {
        return access;
    }

    public int partitionKeyIndex() {
        return partitionKeyIndex;
    }

    public int port() {
        return port;
    }

    public int queueKey() {
        return queueKey;
    }

    public AddressVector addressVector() {
        return addressVector;
    }

    public int mtu() {
        return mtu;
    }

    public int timeout() {
        return timeout;
    }

    public int retryCount() {
        return retryCount;
    }

    public int receiverNotReadyRetry() {
        return receiverNotReadyRetry;
    }

    public int receivePacketSequence() {
        return receivePacketSequence;
    }

    public int sendPacketSequence() {
        return sendPacketSequence;
    }

    public int readsOutstandingMax() {
        return readsOutstandingMax;
    }

    public int readsAcceptedMax() {
        return readsAcceptedMax;
    }

    public int receiverNotReadyTimer() {
        return receiverNotReadyTimer;
    }

    public int destination() {
        return destination;
    }

    public int sendDepth() {
        return sendDepth;
    }

    public int receiveDepth() {
        return receiveDepth;
    }

    public int sendElementCountMax() {
        return sendElementCountMax;
    }

    public int receiveElementCountMax() {
        return receiveElementCountMax;
    }

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
