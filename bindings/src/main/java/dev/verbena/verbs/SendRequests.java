package dev.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

import dev.verbena.verbs.abi.ibv_send_wr;
import dev.verbena.verbs.abi.ibv_sge;

/**
 * Send requests in native memory, made once, filled in and posted many times, singly or as lists.
 *
 * <pre>
 *   +------------------+-----+--------------------+----------------+---------+
 *   | ibv_send_wr 0 .. | n-1 | elements of 0 .. n | inline data .. | bad_wr  |
 *   +------------------+-----+--------------------+----------------+---------+
 *      next -----------^ request i is linked to i+1; post cuts the list at its end and joins it again
 * </pre>
 *
 * <p><b>Owner:</b> none, garbage collection frees it. <b>Threading:</b> confined to the thread that posts it; may be
 * filled in again as soon as the post returned, but the memory that the elements name only after the completion.
 *
 * <p>Source: ibv_post_send(3).
 */
public final class SendRequests {
    private static final long STRIDE = ibv_send_wr.sizeof();
    private static final long NEXT = ibv_send_wr.next$offset();

    private final long address;
    private final SendRequest[] requests;
    /** Where the provider says which request it refuses. */
    private final MemorySegment refused;
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
        if (capacity < 1 || elementCountMax < 0 || inlineByteSizeMax < 0) {
            throw new IllegalArgumentException("capacity=" + capacity + " elementCountMax=" + elementCountMax
                    + " inlineByteSizeMax=" + inlineByteSizeMax + ": give 1 or more, 0 or more, 0 or more");
        }
        // Inline data needs an element that names it.
        long elementsByteSize = ibv_sge.sizeof() * Math.max(elementCountMax, inlineByteSizeMax > 0 ? 1 : 0);
        long inlineStride = (inlineByteSizeMax + 7L) & -8L;
        // Lives as long as the segments of the requests.
        Arena arena = Arena.ofAuto();
        MemorySegment structs = ibv_send_wr.allocateArray(capacity, arena);
        MemorySegment elements = arena.allocate(capacity * elementsByteSize, Long.BYTES);
        MemorySegment inlineData = arena.allocate(capacity * inlineStride, Long.BYTES);
        address = structs.address();
        refused = arena.allocate(ValueLayout.JAVA_LONG);
        requests = new SendRequest[capacity];
        for (int i = 0; i < capacity; i++) {
            requests[i] = new SendRequest(this, structs.asSlice(i * STRIDE, STRIDE),
                    elements.asSlice(i * elementsByteSize, elementsByteSize),
                    inlineData.asSlice(i * inlineStride, inlineByteSizeMax));
            if (i + 1 < capacity) {
                link(i, address(i + 1));
            }
        }
    }

    public int capacity() {
        return requests.length;
    }

    /** The request at the index, to be filled in. */
    public SendRequest get(int index) {
        return requests[index];
    }

    /**
     * The last of so many requests.
     *
     * @throws IndexOutOfBoundsException if there are not so many
     */
    int last(int first, int count) {
        return Objects.checkFromIndexSize(first, count, requests.length) + count - 1;
    }

    /** Ends the list behind it, until {@link #join}. */
    void cut(int last) {
        if (last + 1 < requests.length) {
            link(last, 0);
        }
    }

    void join(int last) {
        if (last + 1 < requests.length) {
            link(last, address(last + 1));
        }
    }

    private void link(int index, long next) {
        RawMemory.putLong(this, address(index), NEXT, next);
    }

    long address(int index) {
        return address + index * STRIDE;
    }

    long badAddress() {
        return refused.address();
    }

    /** Index of the request that the provider refused; negative if it named none. */
    int badIndex() {
        long bad = refused.get(ValueLayout.JAVA_LONG, 0);
        return bad == 0 ? -1 : (int) ((bad - address) / STRIDE);
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
