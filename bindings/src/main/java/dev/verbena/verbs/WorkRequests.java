package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.Objects;
import dev.verbena.verbs.ffi.DataPath;
import dev.verbena.verbs.ffi.RawMemory;

/**
 * Requests that lie one after the other, linked: any stretch of them is a list to post.
 *
 * <pre>
 *   +-----------+-----------+-- .. --+-----------+   +--------+
 *   | request 0 | request 1 |        | n-1       |   | bad_wr |
 *   +-----------+-----------+-- .. --+-----------+   +--------+
 *      next -----^  request i is linked to i+1; post cuts the list at its end and joins it again
 * </pre>
 *
 * <p><b>Owner:</b> none, garbage collection frees it. <b>Threading:</b> confined to the thread that posts it.
 */
abstract sealed class WorkRequests permits SendRequests, ReceiveRequests {
    private final MemorySegment structs;
    private final long address;
    private final long stride;
    private final int capacity;
    /** Where the provider says which request it refuses. */
    private final MemorySegment refused;

    /** @param structs room for so many of the struct, in an arena that garbage collection closes */
    WorkRequests(MemorySegment structs, int capacity) {
        this.structs = structs;
        this.capacity = capacity;
        address = structs.address();
        stride = structs.byteSize() / capacity;
        refused = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
        for (int i = 0; i < capacity; i++) {
            join(i);
        }
    }

    /** @return the capacity */
    static int checked(int capacity, int elementCountMax, int inlineByteSizeMax) {
        if (capacity < 1 || elementCountMax < 0 || inlineByteSizeMax < 0) {
            throw new IllegalArgumentException("capacity=" + capacity + " elementCountMax=" + elementCountMax
                    + " inlineByteSizeMax=" + inlineByteSizeMax + ": give 1 or more, 0 or more, 0 or more");
        }
        return capacity;
    }

    /** How many requests there are, as it was constructed; their indices go from 0 to one less. */
    public final int capacity() {
        return capacity;
    }

    final MemorySegment struct(int index) {
        return structs.asSlice(index * stride, stride);
    }

    /**
     * The last of so many requests.
     *
     * @throws IndexOutOfBoundsException if there are not so many
     */
    final int last(int first, int count) {
        return Objects.checkFromIndexSize(first, count, capacity) + count - 1;
    }

    /** The request at the index. */
    abstract WorkRequest request(int index);

    /**
     * Hands requests {@code first} to {@code last} to the queue as one list.
     *
     * @return zero or an errno, which {@link #takeBadIndex} belongs to
     */
    final int post(DataPath path, MemorySegment function, long queue, int first, int last) {
        cut(last);
        int errno = path.post(function, queue, address(first), refused.address());
        join(last);
        Reference.reachabilityFence(this);
        if (errno == 0 && path.forgetsRefusals() && refused.get(ValueLayout.JAVA_LONG, 0) != 0) {
            return ENOMEM();
        }
        return errno;
    }

    /**
     * What a refusal means; not the fast path. ENOMEM is a full queue, unless the request could never fit: mlx4, mlx5,
     * bnxt_re and ocrdma say it then, too, where others say EINVAL.
     *
     * @param bad the index of the request that the provider refused
     * @return how many were posted, the queue being full then
     * @throws VerbsException if it is not that the queue is full
     */
    final int refused(String verb, String on, int errno, int bad, int first, QueueLimits limits) {
        String posted = on + ", posted=" + (bad < first ? "unknown" : bad - first);
        if (bad < first || Math.abs(errno) != ENOMEM()) {
            throw new VerbsException(verb, posted, Math.abs(errno),
                    "look at the request's operation, elements, inline bytes and alignment");
        }
        WorkRequest request = request(bad);
        if (!limits.admits(request)) {
            throw new VerbsException(verb, posted + ", request id=" + request.workRequestId() + ", "
                    + limits.excess(request), EINVAL(),
                    "it would never fit: make the queue larger, or the request smaller");
        }
        return bad - first;
    }

    /** Ends the list behind it, until {@link #join}. */
    private void cut(int last) {
        if (last + 1 < capacity) {
            link(last, 0);
        }
    }

    private void join(int last) {
        if (last + 1 < capacity) {
            link(last, address(last + 1));
        }
    }

    private void link(int index, long next) {
        RawMemory.putLong(this, address(index), WorkRequest.NEXT, next);
    }

    private long address(int index) {
        return address + index * stride;
    }

    /** Index of the request that the provider refused; negative if it named none, or was asked before. */
    final int takeBadIndex() {
        long bad = refused.get(ValueLayout.JAVA_LONG, 0);
        refused.set(ValueLayout.JAVA_LONG, 0, 0);
        return bad == 0 ? -1 : (int) ((bad - address) / stride);
    }
}
