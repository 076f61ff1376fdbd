package dev.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import dev.verbena.verbs.abi.ibv_send_wr;
import dev.verbena.verbs.abi.ibv_sge;

/**
 * Send requests in native memory, made once, filled in and posted many times, singly or as lists.
 *
 * <p><b>Owner:</b> none, garbage collection frees it. <b>Threading:</b> confined to the thread that posts it; may be
 * filled in again as soon as the post returned, but the memory that the elements name only after the completion.
 *
 * <p>Source: ibv_post_send(3).
 */
public final class SendRequests extends WorkRequests {
    private final SendRequest[] requests;
    private boolean namesObjects;

    /** So many requests, of up to so many gather elements each, without room for inline data. */
    public SendRequests(int capacity, int elementCountMax) {
        this(capacity, elementCountMax, 0);
    }

    /**
     * With room for inline data.
     *
     * @param inlineByteSizeMax bytes of inline data in each request
     */
    public SendRequests(int capacity, int elementCountMax, int inlineByteSizeMax) {
        super(ibv_send_wr.allocateArray(checked(capacity, elementCountMax, inlineByteSizeMax), Arena.ofAuto()),
                capacity);
        // Inline data needs an element that names it.
        long elementsByteSize = ibv_sge.sizeof() * Math.max(elementCountMax, inlineByteSizeMax > 0 ? 1 : 0);
        long inlineStride = (inlineByteSizeMax + 7L) & -8L;
        Arena arena = Arena.ofAuto();
        MemorySegment elements = arena.allocate(capacity * elementsByteSize, Long.BYTES);
        MemorySegment inlineData = arena.allocate(capacity * inlineStride, Long.BYTES);
        requests = new SendRequest[capacity];
        for (int i = 0; i < capacity; i++) {
            requests[i] = new SendRequest(this, struct(i),
                    elements.asSlice(i * elementsByteSize, elementsByteSize),
                    inlineData.asSlice(i * inlineStride, inlineByteSizeMax));
        }
    }

    /** The request at the index, to be filled in. */
    public SendRequest get(int index) {
        return requests[index];
    }

    @Override
    WorkRequest request(int index) {
        return requests[index];
    }

    /** Called by a request that gets the pointer of an object: from now on posting looks at each request. */
    void nameObjects() {
        namesObjects = true;
    }

    boolean namesObjects() {
        return namesObjects;
    }

    /** Keeps open what these requests name; {@link #release} must follow unless it throws. */
    void hold(QueuePair pair, int first, int count) {
        int held = 0;
        try {
            while (held < count) {
                requests[first + held].hold(pair);
                held++;
            }
        } catch (IllegalStateException | IllegalArgumentException refused) {
            release(first, held);
            throw refused;
        }
    }

    void posted(int first, int count) {
        for (int i = first; i < first + count; i++) {
            requests[i].posted();
        }
    }

    void release(int first, int count) {
        for (int i = first; i < first + count; i++) {
            requests[i].release();
        }
    }
}
