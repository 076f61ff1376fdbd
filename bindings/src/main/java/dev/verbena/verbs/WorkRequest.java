package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;

import dev.verbena.verbs.abi.ibv_recv_wr;
import dev.verbena.verbs.abi.ibv_send_wr;
import dev.verbena.verbs.abi.ibv_sge;
import dev.verbena.verbs.ffi.RawMemory;

/**
 * What sends and receives share: both structs begin with an id, the next request, and scatter/gather elements.
 *
 * <p><b>Owner:</b> its list. <b>Threading:</b> as that.
 *
 * <p>Source: ibv_post_send(3), ibv_post_recv(3).
 */
abstract sealed class WorkRequest permits SendRequest, ReceiveRequest {
    static final long NEXT = common(ibv_send_wr.next$offset(), ibv_recv_wr.next$offset());
    private static final long WR_ID = common(ibv_send_wr.wr_id$offset(), ibv_recv_wr.wr_id$offset());
    private static final long SG_LIST = common(ibv_send_wr.sg_list$offset(), ibv_recv_wr.sg_list$offset());
    private static final long NUM_SGE = common(ibv_send_wr.num_sge$offset(), ibv_recv_wr.num_sge$offset());
    private static final long SGE_STRIDE = ibv_sge.sizeof();
    private static final long SGE_LENGTH = ibv_sge.length$offset();
    private static final long SGE_LKEY = ibv_sge.lkey$offset();
    private static final long ELEMENT_BYTE_SIZE_MAX = 0xffff_ffffL;

    /** Of the struct. */
    final long at;
    private final MemorySegment struct;
    private final MemorySegment elements;
    private final long elementsAt;
    private final int elementCountMax;
    private int elementCount;

    /**
     * @param struct a struct ibv_send_wr or ibv_recv_wr
     * @param elements room for struct ibv_sge
     */
    WorkRequest(MemorySegment struct, MemorySegment elements) {
        this.struct = struct;
        this.elements = elements;
        at = struct.address();
        elementsAt = elements.address();
        elementCountMax = (int) (elements.byteSize() / SGE_STRIDE);
        RawMemory.putLong(this, at, SG_LIST, elementsAt);
    }

    private static long common(long ofSends, long ofReceives) {
        if (ofSends != ofReceives) {
            throw new AssertionError("struct ibv_send_wr and struct ibv_recv_wr do not begin alike");
        }
        return ofSends;
    }

    final void beginElements(long workRequestId) {
        RawMemory.putLong(this, at, WR_ID, workRequestId);
        RawMemory.putInt(this, at, NUM_SGE, 0);
        elementCount = 0;
    }

    final void forgetElements() {
        elementCount = 0;
    }

    final void addElement(long address, long byteSize, int lkey) {
        if (elementCount == elementCountMax || byteSize < 0 || byteSize > ELEMENT_BYTE_SIZE_MAX) {
            throw new IllegalArgumentException("element number=" + (elementCount + 1) + " of bytes=" + byteSize
                    + ": there is room for elementCountMax=" + elementCountMax + " of up to bytes="
                    + ELEMENT_BYTE_SIZE_MAX);
        }
        long element = elementsAt + elementCount * SGE_STRIDE;
        RawMemory.putLong(this, element, 0, address);
        RawMemory.putInt(this, element, SGE_LENGTH, (int) byteSize);
        RawMemory.putInt(this, element, SGE_LKEY, lkey);
        RawMemory.putInt(this, at, NUM_SGE, ++elementCount);
    }

    // What was filled in.

    final long workRequestId() {
        return RawMemory.getLong(this, at, WR_ID);
    }

    /** Bytes of inline data, which stand for the elements then. */
    long inlineByteSize() {
        return 0;
    }

    final int elementCount() {
        return elementCount;
    }

    /** Of the first one. */
    final long elementAddress() {
        return RawMemory.getLong(this, elementsAt, 0);
    }

    /** Of the first one. */
    final int elementLkey() {
        return RawMemory.getInt(this, elementsAt, SGE_LKEY);
    }

    final int elementByteSize(int index) {
        return RawMemory.getInt(this, elementsAt + index * SGE_STRIDE, SGE_LENGTH);
    }

    final boolean hasEqualElements() {
        for (int i = 1; i < elementCount; i++) {
            if (elementByteSize(i) != elementByteSize(0)) {
                return false;
            }
        }
        return true;
    }

    final MemorySegment struct() {
        return struct;
    }

    /** The struct ibv_sge of each. */
    final MemorySegment elements() {
        return elements;
    }
}
