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
    /** Any number; the completion hands it back, and the fabric does nothing else with it. */
    public long workRequestId;
    /** Null until it is set; those that only completions have cannot be posted. */
    public Opcode opcode;
    /** Whether success is reported; failure always is. */
    public boolean signaled = true;
    /** Region of each element, of the fabric that it is posted to. */
    public final MemoryRegion[] region;
    /** Offset of each element from the start of its region, in bytes. */
    public final long[] offset;
    /** Bytes of each element, 0 or more; 8 of an atomic's. */
    public final long[] byteSize;
    /** How many elements count, from the first on, as many as the queue pair takes; 0 for an empty message, 1 of an atomic. */
    public int elementCount;
    /** {@link MemoryRegion#address} of the peer's region plus an offset; a multiple of 8 for atomics, unused by SEND. */
    public long remoteAddress;
    /** As the region's owner told it. */
    public long rkey;
    /** WRITE_WITH_IMMEDIATE: 32 bits for the peer's completion. */
    public int immediate;
    /** COMPARE_AND_SWAP: the value expected. FETCH_AND_ADD: the addend. */
    public long compareOrAdd;
    /** COMPARE_AND_SWAP: the value to be stored if the expected one is found. */
    public long swap;
    /** Posted behind this one by the same call; null at the end of the list. */
    public WorkRequest next;

    /** Without elements and opcode, signaled; has room for so many elements, for good. */
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

    /** Appends so many bytes from that offset of the region on; throws {@link ArrayIndexOutOfBoundsException} if there is no room. */
    public WorkRequest element(MemoryRegion region, long offset, long byteSize) {
        this.region[elementCount] = region;
        this.offset[elementCount] = offset;
        this.byteSize[elementCount] = byteSize;
        elementCount++;
        return this;
    }

    /** Where in the peer's memory to write, read or do an atomic: address and key as the region's owner told them. */
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
