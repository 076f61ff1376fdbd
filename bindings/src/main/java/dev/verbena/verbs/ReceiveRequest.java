package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;

/**
 * One request of {@link ReceiveRequests}. {@link #receive} comes first and forgets all that was there; elements follow.
 *
 * <p><b>Owner:</b> its {@link ReceiveRequests}. <b>Threading:</b> as those.
 */
public final class ReceiveRequest extends WorkRequest {
    /**
     * @param struct a struct ibv_recv_wr
     * @param elements room for struct ibv_sge
     */
    ReceiveRequest(MemorySegment struct, MemorySegment elements) {
        super(struct, elements);
    }

    /** A receive without elements, as suffices for writes with immediate. */
    public ReceiveRequest receive(long workRequestId) {
        beginElements(workRequestId);
        return this;
    }

    /**
     * Adds a scatter element.
     *
     * @throws IllegalArgumentException if there is no room for another, or it is beyond 4 GiB - 1
     */
    public ReceiveRequest element(MemoryRegion region, long offset, long byteSize) {
        addElement(region.localAddress(offset), byteSize, region.lkey());
        return this;
    }
}
