package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;

import dev.verbena.verbs.abi.ibv_cq_ex;
import dev.verbena.verbs.abi.ibv_cq_init_attr_ex;
import dev.verbena.verbs.abi.ibv_poll_cq_attr;
import dev.verbena.verbs.ffi.DataPath;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.Guard;
import dev.verbena.verbs.ffi.InlineVerbs;

/**
 * A completion queue whose completions are read one by one where the device wrote them, instead of being copied out.
 *
 * <pre>
 *   for (boolean has = queue.startPoll(); has; has = queue.nextPoll()) {
 *       queue.workRequestId(); queue.status(); ..
 *   }
 *   queue.endPoll();
 * </pre>
 *
 * <p>The readers are of the present completion, between a start or next that returned true and the following step. Of one
 * whose status is not SUCCESS only the work request's id, the status, the queue pair's number and the vendor's error
 * mean anything.
 *
 * <p><b>Owner:</b> whoever created it, to be closed after its queue pairs. <b>Threading:</b> thread-safe, but one thread
 * polls at a time, and it alone reads.
 *
 * <p>Source: ibv_create_cq_ex(3).
 */
public final class ExtendedCompletionQueue extends CompletionQueue {
    /** All zeros, as start_poll wants them. */
    private static final MemorySegment NO_ATTRIBUTES = ibv_poll_cq_attr.allocate(Arena.global());

    private final Set<CompletionField> fields;
    private final MemorySegment queue;
    private final long address;
    private final DataPath path;
    /**
     * rdma-core before 55.0 ends soft-RoCE's poll itself when there is no next completion, so that the end which is due
     * then skips a completion to come. There, each completion is a poll of its own.
     */
    private final boolean isPolledOneByOne;
    private final MemorySegment start;
    private final MemorySegment next;
    private final MemorySegment end;
    private final MemorySegment opcode;
    private final MemorySegment vendorError;
    private final MemorySegment flags;
    private final MemorySegment byteSize;
    private final MemorySegment immediate;
    private final MemorySegment queuePairNumber;
    private final MemorySegment sourceQueuePairNumber;
    private final MemorySegment sourceLid;
    private final MemorySegment serviceLevel;
    private final MemorySegment destinationPathBits;
    private final MemorySegment timestamp;
    private final MemorySegment wallClockTimestamp;
    /** Between start and end of the native poll; the guard is entered as long. Written by the polling thread. */
    private boolean isPolling;
    /** Whether a next that returned false left the poll without a present completion. */
    private boolean isExhausted;

    ExtendedCompletionQueue(DeviceContext context, CompletionChannel channel, long number,
            MemorySegment queue, Set<CompletionField> fields) {
        super(context, channel, number, queue);
        this.fields = EnumSet.noneOf(CompletionField.class);
        this.fields.addAll(fields);
        this.queue = queue;
        this.address = queue.address();
        this.path = context.dataPath();
        this.isPolledOneByOne = context.provider().name().equals("rxe");
        start = ibv_cq_ex.start_poll(queue);
        next = ibv_cq_ex.next_poll(queue);
        end = ibv_cq_ex.end_poll(queue);
        opcode = ibv_cq_ex.read_opcode(queue);
        vendorError = ibv_cq_ex.read_vendor_err(queue);
        flags = ibv_cq_ex.read_wc_flags(queue);
        byteSize = ibv_cq_ex.read_byte_len(queue);
        immediate = ibv_cq_ex.read_imm_data(queue);
        queuePairNumber = ibv_cq_ex.read_qp_num(queue);
        sourceQueuePairNumber = ibv_cq_ex.read_src_qp(queue);
        sourceLid = ibv_cq_ex.read_slid(queue);
        serviceLevel = ibv_cq_ex.read_sl(queue);
        destinationPathBits = ibv_cq_ex.read_dlid_path_bits(queue);
        timestamp = ibv_cq_ex.read_completion_ts(queue);
        wallClockTimestamp = ibv_cq_ex.read_completion_wallclock_ns(queue);
    }

    /** The channel may be null. */
    static ExtendedCompletionQueue create(DeviceContext context, int countMax, Set<CompletionField> fields,
            CompletionChannel channel, int vector) {
        long number = nextNumber();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_cq_init_attr_ex.allocate(arena);
            ibv_cq_init_attr_ex.cqe(attributes, countMax);
            ibv_cq_init_attr_ex.cq_context(attributes, MemorySegment.ofAddress(number));
            ibv_cq_init_attr_ex.channel(attributes, channel == null ? MemorySegment.NULL : channel.pointer());
            ibv_cq_init_attr_ex.comp_vector(attributes, vector);
            ibv_cq_init_attr_ex.wc_flags(attributes, CompletionField.bits(fields));
            MemorySegment queue = NativeCall.pointer("ibv_create_cq_ex",
                    () -> context.on() + ", completions=" + countMax + ", vector=" + vector + ", fields=" + fields,
                    capture -> InlineVerbs.createExtendedCompletionQueue(context.pointer(), capture, attributes));
            return new ExtendedCompletionQueue(context, channel, number, queue.reinterpret(ibv_cq_ex.sizeof()),
                    fields);
        }
    }

    /** What was asked for. */
    public Set<CompletionField> fields() {
        return EnumSet.copyOf(fields);
    }

    /**
     * Begins to poll; {@link #endPoll} must follow.
     *
     * @return whether there is a completion, which is then the present one
     * @throws VerbsException if the completion queue is broken, for instance overrun
     */
    public boolean startPoll() {
        requireNotPolling();
        guard().enter(Guard.SEND);
        int errno = path.startPoll(start, address, NO_ATTRIBUTES.address());
        if (errno == 0) {
            isPolling = true;
            isExhausted = false;
            return true;
        }
        guard().leave(Guard.SEND);
        return nothing("ibv_start_poll", errno);
    }

    /** Steps to the next completion, if there is one. */
    public boolean nextPoll() {
        requireCompletion();
        if (isPolledOneByOne) {
            endPoll();
            return startPoll();
        }
        int errno = path.nextPoll(next, address);
        isExhausted = errno != 0;
        return errno == 0 || nothing("ibv_next_poll", errno);
    }

    /** Gives what was read back to the device. Idempotent. */
    public void endPoll() {
        if (isPolling) {
            path.endPoll(end, address);
            isPolling = false;
            guard().leave(Guard.SEND);
        }
    }

    /** ENOENT is an empty queue; its negative, -2, is an error as any other. */
    private boolean nothing(String verb, int returned) {
        if (returned == ENOENT()) {
            return false;
        }
        throw broken(verb, returned);
    }

    /** The number that the program gave the request when it filled it in; of a failed one too. */
    public long workRequestId() {
        requireCompletion();
        return ibv_cq_ex.wr_id(queue);
    }

    /** SUCCESS, or why the request failed, which {@link WorkCompletionStatus#meaning} has in words; never null. */
    public WorkCompletionStatus status() {
        requireCompletion();
        return WorkCompletionStatus.of(ibv_cq_ex.status(queue));
    }

    /** What the request was, never null; means nothing unless the status is SUCCESS. */
    public WorkCompletionOpcode opcode() {
        requireCompletion();
        return WorkCompletionOpcode.of(DataPath.readInt(opcode, address));
    }

    /** The device vendor's number for the error. */
    public int vendorError() {
        requireCompletion();
        return DataPath.readInt(vendorError, address);
    }

    /** Whether the peer's send or write brought 32 bits beside its data; of receives only. */
    public boolean hasImmediate() {
        return has(IBV_WC_WITH_IMM());
    }

    /** Whether a send invalidated an rkey of this side. */
    public boolean hasInvalidatedRkey() {
        return has(IBV_WC_WITH_INV());
    }

    /** Whether a datagram begins with a global routing header. */
    public boolean hasGlobalRoutingHeader() {
        return has(IBV_WC_GRH());
    }

    private boolean has(int flag) {
        requireCompletion();
        return (DataPath.readInt(flags, address) & flag) != 0;
    }

    /** Bytes received or read; for a datagram with its 40 bytes of global routing header. */
    public int byteSize() {
        return DataPath.readInt(reader(byteSize, CompletionField.BYTE_SIZE), address);
    }

    /** The 32 bits as the peer's program gave them, if {@link #hasImmediate}. The queue must keep {@link CompletionField#IMMEDIATE}. */
    public int immediate() {
        return Integer.reverseBytes(DataPath.readInt(reader(immediate, CompletionField.IMMEDIATE), address));
    }

    /** The rkey of this side that is no longer valid, if {@link #hasInvalidatedRkey}. The queue must keep {@link CompletionField#IMMEDIATE}. */
    public int invalidatedRkey() {
        return DataPath.readInt(reader(immediate, CompletionField.IMMEDIATE), address);
    }

    /** Of the queue pair here. */
    public int queuePairNumber() {
        return DataPath.readInt(reader(queuePairNumber, CompletionField.QUEUE_PAIR_NUMBER), address);
    }

    /** Of the queue pair that sent a datagram. */
    public int sourceQueuePairNumber() {
        return DataPath.readInt(reader(sourceQueuePairNumber, CompletionField.SOURCE_QUEUE_PAIR_NUMBER), address);
    }

    /** The LID that a datagram came from. */
    public int sourceLid() {
        return DataPath.readInt(reader(sourceLid, CompletionField.SOURCE_LID), address);
    }

    /** The service level of a datagram. */
    public int serviceLevel() {
        return Byte.toUnsignedInt(DataPath.readByte(reader(serviceLevel, CompletionField.SERVICE_LEVEL), address));
    }

    /** The low bits of the LID that a datagram was sent to. */
    public int destinationPathBits() {
        return Byte.toUnsignedInt(
                DataPath.readByte(reader(destinationPathBits, CompletionField.DESTINATION_PATH_BITS), address));
    }

    /** In ticks of the device's clock. */
    public long timestamp() {
        return DataPath.readLong(reader(timestamp, CompletionField.TIMESTAMP), address);
    }

    /** In nanoseconds of the wall clock. */
    public long wallClockTimestampNs() {
        return DataPath.readLong(reader(wallClockTimestamp, CompletionField.WALL_CLOCK_TIMESTAMP), address);
    }

    private MemorySegment reader(MemorySegment function, CompletionField field) {
        requireCompletion();
        if (!fields.contains(field)) {
            throw new IllegalStateException(this + " does not keep field=" + field + " but " + fields
                    + "; name it when you create the completion queue");
        }
        return function;
    }

    /** The provider's pointers lead to the present completion, or anywhere. */
    private void requireCompletion() {
        if (!isPolling || isExhausted) {
            throw new IllegalStateException(this + " has no present completion;"
                    + " call startPoll, and go on only while it or nextPoll returns true");
        }
    }

    /** The provider holds a lock from start to end, so a second poll would wait for itself. */
    private void requireNotPolling() {
        if (isPolling) {
            throw new IllegalStateException(this + " is being polled; call endPoll first");
        }
    }

    @Override
    public int poll(WorkCompletions completions, int countMax) {
        requireNotPolling();
        return super.poll(completions, countMax);
    }

    @Override
    public void resize(int countMax) {
        requireNotPolling();
        super.resize(countMax);
    }

    @Override
    String unfinished() {
        return isPolling ? "it is being polled; call endPoll first" : null;
    }
}
