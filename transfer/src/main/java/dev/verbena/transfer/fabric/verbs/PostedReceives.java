package dev.verbena.transfer.fabric.verbs;

import dev.verbena.transfer.fabric.Rights;
import dev.verbena.transfer.spi.Completion;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.ReceiveRequests;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.WorkCompletions;

/**
 * The receives of a queue pair from their post to their delivery.
 *
 * <pre>
 *   delivered &lt;= completed &lt;= handed &lt;= posted &lt;= delivered + depth
 *   handed: given to the device; completed: over, as far as the device has said
 * </pre>
 *
 * <p>Threading: confined to the queue pair's poller.
 */
final class PostedReceives {
    private final VerbsFabric fabric;
    private final QueuePair pair;
    private final int queueIndex;
    private final long messageByteSizeMax;
    private final ReceivePath path;
    private final ReceiveRequests requests;
    private final int depth;
    private final long[] ids;
    private final long[] byteSizes;
    private final String[] refusals;
    private long posted;
    private long handed;
    private long completed;
    private long delivered;

    PostedReceives(VerbsFabric fabric, QueuePair pair, int queueIndex, int depth, ReceivePath path) {
        this.fabric = fabric;
        this.pair = pair;
        this.queueIndex = queueIndex;
        this.depth = depth;
        this.path = path;
        requests = new ReceiveRequests(1, 1 + path.elementCount());
        messageByteSizeMax = fabric.capabilities().messageByteSizeMax();
        ids = new long[depth];
        byteSizes = new long[depth];
        refusals = new String[depth];
    }

    // ---- posting ----

    boolean isFull() {
        return posted - delivered == depth;
    }

    /**
     * Hands it to the device; one that may not be written to as one that the device refuses.
     *
     * @param region null for none
     * @return why the device did not take it, or null
     */
    String post(long id, VerbsRegion region, long offset, long byteSize) {
        add(id, region, offset, byteSize);
        long number = posted - 1;
        String refusal = refusal(number);
        ReceiveRequest request = requests.get(0).receive(VerbsCompletionQueue.workRequestId(queueIndex, true, number));
        path.addTo(request, number);
        if (refusal != null) {
            request.element(fabric.forbidden(), 0, 1);
        } else if (byteSize > 0) {
            request.element(region.registered(), offset, Math.min(byteSize, messageByteSizeMax));
        }
        try {
            if (pair.post(requests, 0, 1) != 1) {
                return "the device took no receive: its receive queue is full";
            }
        } catch (VerbsException e) {
            return e.getMessage();
        }
        handed++;
        path.posted(handed);
        return null;
    }

    /** Without handing it to the device, which takes no more. */
    void add(long id, VerbsRegion region, long offset, long byteSize) {
        int slot = slot(posted++);
        ids[slot] = id;
        byteSizes[slot] = byteSize;
        refusals[slot] = region == null ? null : region.refusal(offset, byteSize, Rights.LOCAL_WRITE);
    }

    // ---- what the device says ----

    /** @return the number of the receive that is over */
    long complete(int lowBits) {
        long number = completed + (lowBits - (int) completed);
        completed = number + 1;
        return number;
    }

    /** The device will say nothing more. */
    void giveUp() {
        completed = handed;
    }

    boolean isUnderWay() {
        return completed != handed;
    }

    // ---- delivering ----

    boolean isAnyUndelivered() {
        return delivered != posted;
    }

    /** Whether the next one is over, or was never handed to the device. */
    boolean isNextOver() {
        return isAnyUndelivered() && (delivered < completed || delivered >= handed);
    }

    long next() {
        return delivered;
    }

    void delivered(long number) {
        delivered = number + 1;
    }

    long id(long number) {
        return ids[slot(number)];
    }

    /** Why its memory must not be written to, or null. */
    String refusal(long number) {
        return refusals[slot(number)];
    }

    /** Fills in what arrived in it. */
    void read(WorkCompletions found, int i, long number, Completion out) {
        path.read(found, i, number, out);
    }

    /** Why a message of so many bytes does not fit into the receive of that number, of which the low bits are given; null if it does. */
    String misfit(int lowBits, long byteSize) {
        long number = number(lowBits);
        boolean isThere = number >= delivered && number < posted;
        return isThere && byteSize > 0 && (refusal(number) != null || byteSizes[slot(number)] < byteSize)
                ? fault(number)
                : null;
    }

    /** The receive that such a message took. */
    long number(int lowBits) {
        return delivered + (lowBits - (int) delivered);
    }

    /** What can be wrong with it. */
    String fault(long number) {
        String refusal = refusal(number);
        return refusal != null ? "receive: " + refusal : "the receive is too small: posted=" + byteSizes[slot(number)];
    }

    private int slot(long number) {
        return (int) number & depth - 1;
    }
}
