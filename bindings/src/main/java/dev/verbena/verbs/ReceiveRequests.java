package dev.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import dev.verbena.verbs.abi.ibv_recv_wr;
import dev.verbena.verbs.abi.ibv_sge;

/**
 * Receive requests in native memory, made once, filled in and posted many times, singly or as lists.
 *
 * <p><b>Owner:</b> none, garbage collection frees it. <b>Threading:</b> confined to the thread that posts it; may be
 * filled in again as soon as the post returned.
 *
 * <p>Source: ibv_post_recv(3), ibv_post_srq_recv(3).
 */
public final class ReceiveRequests extends WorkRequests {
    private final ReceiveRequest[] requests;

    /** So many requests, of up to so many scatter elements each. */
    public ReceiveRequests(int capacity, int elementCountMax) {
        super(ibv_recv_wr.allocateArray(checked(capacity, elementCountMax, 0), Arena.ofAuto()), capacity);
        long elementsByteSize = ibv_sge.sizeof() * elementCountMax;
        MemorySegment elements = Arena.ofAuto().allocate(capacity * elementsByteSize, Long.BYTES);
        requests = new ReceiveRequest[capacity];
        for (int i = 0; i < capacity; i++) {
            requests[i] = new ReceiveRequest(struct(i), elements.asSlice(i * elementsByteSize, elementsByteSize));
        }
    }

    /** The request at the index, to be filled in. */
    public ReceiveRequest get(int index) {
        return requests[index];
    }

    @Override
    WorkRequest request(int index) {
        return requests[index];
    }
}
