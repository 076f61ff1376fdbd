package dev.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

import dev.verbena.verbs.abi.ibv_recv_wr;
import dev.verbena.verbs.abi.ibv_sge;

/**
 * Receive requests in native memory, made once, filled in and posted many times, singly or as lists; laid out as
 * {@link SendRequests}.
 *
 * <p><b>Owner:</b> none, garbage collection frees it. <b>Threading:</b> confined to the thread that posts it; may be
 * filled in again as soon as the post returned.
 *
 * <p>Source: ibv_post_recv(3), ibv_post_srq_recv(3).
 */
public final class ReceiveRequests {
    private static final long STRIDE = ibv_recv_wr.sizeof();
    private static final long WR_ID = ibv_recv_wr.wr_id$offset();
    private static final long NEXT = ibv_recv_wr.next$offset();
    private static final long SG_LIST = ibv_recv_wr.sg_list$offset();
    private static final long NUM_SGE = ibv_recv_wr.num_sge$offset();
    private static final long SGE_STRIDE = ibv_sge.sizeof();
    private static final long ELEMENT_BYTE_SIZE_MAX = 0xffff_ffffL;

    private final MemorySegment memory;
    private final long address;
    private final int capacity;
    private final int elementCountMax;
    private final long elementsOffset;
    private final long badOffset;

    /** So many requests, of up to so many scatter elements each. */
    public ReceiveRequests(int capacity, int elementCountMax) {
        if (capacity < 1 || elementCountMax < 0) {
            throw new IllegalArgumentException("capacity=" + capacity + " elementCountMax=" + elementCountMax
                    + ": give 1 or more, 0 or more");
        }
        this.capacity = capacity;
        this.elementCountMax = elementCountMax;
        elementsOffset = capacity * STRIDE;
        badOffset = elementsOffset + capacity * elementCountMax * SGE_STRIDE;
        memory = Arena.ofAuto().allocate(badOffset + Long.BYTES, Long.BYTES);
        address = memory.address();
        for (int i = 0; i < capacity; i++) {
            set(i, SG_LIST, address + elementsOffset + i * elementCountMax * SGE_STRIDE);
            join(i);
        }
    }

    public int capacity() {
        return capacity;
    }

    /** Makes the request at the index one without elements, as suffices for writes with immediate. */
    public ReceiveRequests receive(int index, long workRequestId) {
        set(index, WR_ID, workRequestId);
        memory.set(ValueLayout.JAVA_INT, index * STRIDE + NUM_SGE, 0);
        return this;
    }

    /**
     * Adds a scatter element to the request at the index.
     *
     * @throws IllegalArgumentException if there is no room for another, or it is beyond 4 GiB - 1
     */
    public ReceiveRequests element(int index, MemoryRegion region, long offset, long byteSize) {
        int count = memory.get(ValueLayout.JAVA_INT, index * STRIDE + NUM_SGE);
        if (count == elementCountMax || byteSize < 0 || byteSize > ELEMENT_BYTE_SIZE_MAX) {
            throw new IllegalArgumentException("element number=" + (count + 1) + " of bytes=" + byteSize
                    + ": there is room for elementCountMax=" + elementCountMax + " of up to bytes="
                    + ELEMENT_BYTE_SIZE_MAX);
        }
        long element = elementsOffset + (index * elementCountMax + count) * SGE_STRIDE;
        memory.set(ValueLayout.JAVA_LONG, element, region.localAddress(offset));
        memory.set(ValueLayout.JAVA_INT, element + ibv_sge.length$offset(), (int) byteSize);
        memory.set(ValueLayout.JAVA_INT, element + ibv_sge.lkey$offset(), region.lkey());
        memory.set(ValueLayout.JAVA_INT, index * STRIDE + NUM_SGE, count + 1);
        return this;
    }

    /**
     * The last of so many requests.
     *
     * @throws IndexOutOfBoundsException if there are not so many
     */
    int last(int first, int count) {
        return Objects.checkFromIndexSize(first, count, capacity) + count - 1;
    }

    /** Ends the list behind it, until {@link #join}. */
    void cut(int last) {
        if (last + 1 < capacity) {
            set(last, NEXT, 0);
        }
    }

    void join(int last) {
        if (last + 1 < capacity) {
            set(last, NEXT, address(last + 1));
        }
    }

    private void set(int index, long field, long value) {
        memory.set(ValueLayout.JAVA_LONG, index * STRIDE + field, value);
    }

    long address(int index) {
        return address + index * STRIDE;
    }

    long badAddress() {
        return address + badOffset;
    }

    /** Index of the request that the provider refused; negative if it named none. */
    int badIndex() {
        long bad = memory.get(ValueLayout.JAVA_LONG, badOffset);
        return bad == 0 ? -1 : (int) ((bad - address) / STRIDE);
    }
}
