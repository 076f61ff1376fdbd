package dev.verbena.transfer.spi;

/**
 * A request to a queue pair, made once and posted many times. A list is linked by {@link #next} and posted by its head.
 *
 * <p>The elements {@code region[i], offset[i], byteSize[i]}, i &lt; {@link #elementCount}, are gathered (WRITE, SEND) or
 * scattered (READ, atomics) in order, as one message. An atomic has one element of 8 bytes that takes the old value.
 *
 * <p><b>Owner:</b> who made it. <b>Threading:</b> used by who posts it; may be changed again as soon as
 * {@link QueuePair#post} returned, but the memory it names only after its completion ({@code ibv_post_send(3)}).
 */
public final class WorkRequest {
    public long workRequestId;
    public Opcode opcode;
    /** Whether success is reported; failure always is. */
    public boolean signaled = true;
    public final MemoryRegion[] region;
    /** Offset of each element from the start of its region, in bytes. */
    public final long[] offset;
    public final long[] byteSize;
    public int elementCount;
    public long remoteAddress;
    /** As the region's owner told it. */
    public long rkey;
    public int immediate;
    /** COMPARE_AND_SWAP: the value expected. FETCH_AND_ADD: the addend. */
    public long compareOrAdd;
    public long swap;
    public WorkRequest next;

    public WorkRequest(int elementCountMax) {
        region = new MemoryRegion[elementCountMax];
        offset = new long[elementCountMax];
        byteSize = new long[elementCountMax];
    }

    /** Makes it a request of one opcode without elements, linked to nothing. */
    public WorkRequest reset(long workRequestId, Opcode opcode) {
        this.workRequestId = workRequestId;
        this.opcode = opcode;
        signaled = true;
        elementCount = 0;
        remoteAddress = 0;
        rkey = 0;
        immediate = 0;
        compareOrAdd = 0;
        swap = 0;
        next = null;
        return this;
    }

    public WorkRequest element(MemoryRegion region, long offset, long byteSize) {
        this.region[elementCount] = region;
        this.offset[elementCount] = offset;
        this.byteSize[elementCount] = byteSize;
        elementCount++;
        return this;
    }

    public WorkRequest remote(long address, long rkey) {
        this.remoteAddress = address;
        this.rkey = rkey;
        return this;
    }

    /** Makes it say the same as the other one, linked to nothing; it must have room for as many elements. */
    public WorkRequest set(WorkRequest other) {
        reset(other.workRequestId, other.opcode);
        for (int i = 0; i < other.elementCount; i++) {
            element(other.region[i], other.offset[i], other.byteSize[i]);
        }
        signaled = other.signaled;
        remoteAddress = other.remoteAddress;
        rkey = other.rkey;
        immediate = other.immediate;
        compareOrAdd = other.compareOrAdd;
        swap = other.swap;
        return this;
    }

    /** Sum of the elements' sizes. */
    public long totalByteSize() {
        if (elementCount == 1) {
            return byteSize[0];
        }
        long total = 0;
        for (int i = 0; i < elementCount; i++) {
            total += byteSize[i];
        }
        return total;
    }
}
