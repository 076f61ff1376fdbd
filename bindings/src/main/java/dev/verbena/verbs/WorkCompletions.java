package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import dev.verbena.verbs.abi.ibv_wc;

/**
 * Room for work completions, made once and polled into many times; the entries are read in place, by index.
 *
 * <p>Of a completion whose status is not SUCCESS only the work request's id, the status, the queue pair's number and the
 * vendor's error mean anything.
 *
 * <p><b>Owner:</b> none, garbage collection frees it. <b>Threading:</b> confined to the thread that polls into it.
 *
 * <p>Source: ibv_poll_cq(3).
 */
public final class WorkCompletions {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final long STRIDE = ibv_wc.sizeof();
    private static final long WR_ID = ibv_wc.wr_id$offset();
    private static final long STATUS = ibv_wc.status$offset();
    private static final long OPCODE = ibv_wc.opcode$offset();
    private static final long VENDOR_ERROR = ibv_wc.vendor_err$offset();
    private static final long BYTE_LENGTH = ibv_wc.byte_len$offset();
    private static final long IMMEDIATE = ibv_wc.imm_data$offset();
    private static final long QP_NUMBER = ibv_wc.qp_num$offset();
    private static final long SOURCE_QP = ibv_wc.src_qp$offset();
    private static final long FLAGS = ibv_wc.wc_flags$offset();

    private final MemorySegment entries;
    private final int capacity;

    /** Room for so many at once. */
    public WorkCompletions(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity=" + capacity + ": give 1 or more");
        }
        this.capacity = capacity;
        this.entries = Arena.ofAuto().allocate(capacity * STRIDE, Long.BYTES);
    }

    /** The most that one poll can bring, as constructed; entries from the index that the poll returned on are old ones. */
    public int capacity() {
        return capacity;
    }

    /** The number that the program gave the request when it filled it in; of a failed one too. */
    public long workRequestId(int index) {
        return entries.get(ValueLayout.JAVA_LONG, index * STRIDE + WR_ID);
    }

    /** SUCCESS, or why the request failed, which {@link WorkCompletionStatus#meaning} has in words; never null. */
    public WorkCompletionStatus status(int index) {
        return WorkCompletionStatus.of(entries.get(INT, index * STRIDE + STATUS));
    }

    /** What the request was, never null; means nothing unless the status is SUCCESS. */
    public WorkCompletionOpcode opcode(int index) {
        return WorkCompletionOpcode.of(entries.get(INT, index * STRIDE + OPCODE));
    }

    /** The device vendor's number for the error. */
    public int vendorError(int index) {
        return entries.get(INT, index * STRIDE + VENDOR_ERROR);
    }

    /** Bytes received or read; for a datagram with its 40 bytes of global routing header. */
    public int byteSize(int index) {
        return entries.get(INT, index * STRIDE + BYTE_LENGTH);
    }

    /** Whether the peer's send or write brought 32 bits beside its data; of receives only. */
    public boolean hasImmediate(int index) {
        return has(index, IBV_WC_WITH_IMM());
    }

    /** The 32 bits as the peer's program gave them; means nothing unless {@link #hasImmediate}. */
    public int immediate(int index) {
        return Integer.reverseBytes(entries.get(INT, index * STRIDE + IMMEDIATE));
    }

    /** Whether a send invalidated an rkey of this side. */
    public boolean hasInvalidatedRkey(int index) {
        return has(index, IBV_WC_WITH_INV());
    }

    /** The rkey of this side that is no longer valid; means nothing unless {@link #hasInvalidatedRkey}. */
    public int invalidatedRkey(int index) {
        return entries.get(INT, index * STRIDE + IMMEDIATE);
    }

    /** Whether a datagram begins with a global routing header, in the 40 bytes that are there in any case. */
    public boolean hasGlobalRoutingHeader(int index) {
        return has(index, IBV_WC_GRH());
    }

    /** Of the queue pair here. */
    public int queuePairNumber(int index) {
        return entries.get(INT, index * STRIDE + QP_NUMBER);
    }

    /** Of the queue pair that sent a datagram. */
    public int sourceQueuePairNumber(int index) {
        return entries.get(INT, index * STRIDE + SOURCE_QP);
    }

    private boolean has(int index, int flag) {
        return (entries.get(INT, index * STRIDE + FLAGS) & flag) != 0;
    }

    long address() {
        return entries.address();
    }

    /** The entry as the C library's functions take it. */
    MemorySegment entry(int index) {
        return entries.asSlice(index * STRIDE, STRIDE);
    }
}
