package dev.verbena.transfer.fabric;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.verbena.transfer.spi.PreparedRequests;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * A prepared list as it was given, so that it, or its rest, can be posted like any other.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable but for what subclasses add.
 */
public class CopiedRequests implements PreparedRequests {
    private final QueuePair queuePair;
    private final WorkRequest[] requests;

    /**
     * @param queuePair that prepares it
     * @param countMax what its send queue holds
     * @throws IllegalArgumentException if a request is wrong in itself, or there are none, or more than {@code countMax}
     */
    public CopiedRequests(QueuePair queuePair, WorkRequest head, RequestCheck check, int countMax) {
        this.queuePair = queuePair;
        List<WorkRequest> copies = new ArrayList<>();
        for (WorkRequest request = head; request != null; request = request.next) {
            if (copies.size() == countMax) {
                throw new IllegalArgumentException("a list of more requests than sendDepth=" + countMax
                        + " is never posted as a whole; prepare several");
            }
            check.check(request);
            WorkRequest copy = request.copy();
            if (!copies.isEmpty()) {
                copies.getLast().next = copy;
            }
            copies.add(copy);
        }
        if (copies.isEmpty()) {
            throw new IllegalArgumentException("there are no requests to prepare: head=null");
        }
        requests = copies.toArray(WorkRequest[]::new);
    }

    final QueuePair queuePair() {
        return queuePair;
    }

    @Override
    public final int count() {
        return requests.length;
    }

    /** The list from that request on. @throws IndexOutOfBoundsException if there is none */
    public final WorkRequest from(int first) {
        return requests[Objects.checkIndex(first, requests.length)];
    }
}
