package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;

import dev.verbena.verbs.abi.ibv_qp_ex;

/**
 * The ibv_wr_* functions of one queue pair: static inline functions that call its function pointers, written out here.
 * They build the request in the provider's own queue: first its id and flags, then the operation, then the data.
 *
 * <p><b>Owner:</b> its queue pair. <b>Threading:</b> confined to the thread that posts.
 *
 * <p>Source: ibv_wr_post(3), verbs.h of rdma-core 44.
 */
final class WorkRequestBuilder {
    private final MemorySegment pair;
    private final SendRequest request;
    /** Of the one request, made once so that building allocates nothing. */
    private final MemorySegment elements;
    private final MemorySegment inlineData;
    private final MemorySegment bindInfo;
    private final MemorySegment start;
    private final MemorySegment complete;
    private final MemorySegment abort;
    private final MemorySegment write;
    private final MemorySegment writeImmediate;
    private final MemorySegment read;
    private final MemorySegment send;
    private final MemorySegment sendImmediate;
    private final MemorySegment sendInvalidate;
    private final MemorySegment compareAndSwap;
    private final MemorySegment fetchAndAdd;
    private final MemorySegment bind;
    private final MemorySegment invalidate;
    private final MemorySegment setDestination;
    private final MemorySegment setInline;
    private final MemorySegment setElement;
    private final MemorySegment setElements;

    /** Over a struct ibv_qp_ex, for requests that are filled in into this one. */
    WorkRequestBuilder(MemorySegment pair, SendRequest request) {
        this.pair = pair;
        this.request = request;
        elements = request.elements();
        inlineData = request.inlineData();
        bindInfo = request.bindInfo();
        start = ibv_qp_ex.wr_start(pair);
        complete = ibv_qp_ex.wr_complete(pair);
        abort = ibv_qp_ex.wr_abort(pair);
        write = ibv_qp_ex.wr_rdma_write(pair);
        writeImmediate = ibv_qp_ex.wr_rdma_write_imm(pair);
        read = ibv_qp_ex.wr_rdma_read(pair);
        send = ibv_qp_ex.wr_send(pair);
        sendImmediate = ibv_qp_ex.wr_send_imm(pair);
        sendInvalidate = ibv_qp_ex.wr_send_inv(pair);
        compareAndSwap = ibv_qp_ex.wr_atomic_cmp_swp(pair);
        fetchAndAdd = ibv_qp_ex.wr_atomic_fetch_add(pair);
        bind = ibv_qp_ex.wr_bind_mw(pair);
        invalidate = ibv_qp_ex.wr_local_inv(pair);
        setDestination = ibv_qp_ex.wr_set_ud_addr(pair);
        setInline = ibv_qp_ex.wr_set_inline_data(pair);
        setElement = ibv_qp_ex.wr_set_sge(pair);
        setElements = ibv_qp_ex.wr_set_sge_list(pair);
    }

    void start() {
        ibv_qp_ex.wr_start.invoke(start, pair);
    }

    /** Zero or an errno; then nothing is posted. */
    int complete() {
        return ibv_qp_ex.wr_complete.invoke(complete, pair);
    }

    void abort() {
        ibv_qp_ex.wr_abort.invoke(abort, pair);
    }

    /** Of the present request, an operation that the queue pair was created for; while it is held. */
    void build(SendOperation operation) {
        ibv_qp_ex.wr_id(pair, request.workRequestId());
        ibv_qp_ex.wr_flags(pair, request.flags());
        long remote = request.remoteAddress();
        int rkey = request.rkey();
        switch (operation) {
            case WRITE -> ibv_qp_ex.wr_rdma_write.invoke(write, pair, rkey, remote);
            case WRITE_WITH_IMMEDIATE ->
                ibv_qp_ex.wr_rdma_write_imm.invoke(writeImmediate, pair, rkey, remote, request.immediateBits());
            case READ -> ibv_qp_ex.wr_rdma_read.invoke(read, pair, rkey, remote);
            case SEND -> ibv_qp_ex.wr_send.invoke(send, pair);
            case SEND_WITH_IMMEDIATE -> ibv_qp_ex.wr_send_imm.invoke(sendImmediate, pair, request.immediateBits());
            case SEND_WITH_INVALIDATE -> ibv_qp_ex.wr_send_inv.invoke(sendInvalidate, pair, request.immediateBits());
            case COMPARE_AND_SWAP -> ibv_qp_ex.wr_atomic_cmp_swp.invoke(compareAndSwap, pair, request.atomicRkey(),
                    remote, request.compareOrAdd(), request.swap());
            case FETCH_AND_ADD -> ibv_qp_ex.wr_atomic_fetch_add.invoke(fetchAndAdd, pair, request.atomicRkey(),
                    remote, request.compareOrAdd());
            case LOCAL_INVALIDATE -> ibv_qp_ex.wr_local_inv.invoke(invalidate, pair, request.immediateBits());
            case BIND_MEMORY_WINDOW -> ibv_qp_ex.wr_bind_mw.invoke(bind, pair, request.window().pointer(),
                    request.bindRkey(), bindInfo);
        }
        if (operation != SendOperation.LOCAL_INVALIDATE && operation != SendOperation.BIND_MEMORY_WINDOW) {
            setData();
        }
    }

    private void setData() {
        if (request.destination() != null) {
            ibv_qp_ex.wr_set_ud_addr.invoke(setDestination, pair, request.destination().pointer(),
                    request.destinationQueuePair(), request.destinationQueueKey());
        }
        if (request.isInline()) {
            ibv_qp_ex.wr_set_inline_data.invoke(setInline, pair, inlineData,
                    Integer.toUnsignedLong(request.elementByteSize(0)));
        } else if (request.elementCount() == 1) {
            ibv_qp_ex.wr_set_sge.invoke(setElement, pair, request.elementLkey(), request.elementAddress(),
                    request.elementByteSize(0));
        } else {
            ibv_qp_ex.wr_set_sge_list.invoke(setElements, pair, request.elementCount(), elements);
        }
    }
}
