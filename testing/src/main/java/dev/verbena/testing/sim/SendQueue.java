package dev.verbena.testing.sim;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The requests of one queue pair, in the order posted. Each holds its place until it is delivered, or, if nobody is to be told of
 * it, until all before it are.
 *
 * <p><b>Owner:</b> its queue pair. <b>Threading:</b> confined to the simulation.
 */
final class SendQueue {
    private final int depth;
    private final Deque<SimRequest> posted = new ArrayDeque<>();
    private final Deque<SimRequest> waiting = new ArrayDeque<>();

    SendQueue(int depth) {
        this.depth = depth;
    }

    int room() {
        removeSilent();
        return depth - posted.size();
    }

    boolean isEmpty() {
        return posted.isEmpty();
    }

    /** Whether somebody is to be told of one of them. */
    boolean isAnySignaled() {
        return posted.stream().anyMatch(SimRequest::isSignaled);
    }

    void add(SimRequest request) {
        posted.addLast(request);
        waiting.addLast(request);
    }

    /** The next one to be carried out; null if there is none. */
    SimRequest next() {
        return waiting.pollFirst();
    }

    private void removeSilent() {
        while (!posted.isEmpty() && posted.peekFirst().isSilent()) {
            posted.removeFirst();
        }
    }

    /** The first one that is to be delivered, if it is done; else null. */
    SimRequest done() {
        removeSilent();
        SimRequest first = posted.peekFirst();
        return first != null && first.isDone() ? first : null;
    }

    int doneCount() {
        int count = 0;
        for (SimRequest request : posted) {
            if (!request.isDone()) {
                break;
            }
            count += request.isSilent() ? 0 : 1;
        }
        return count;
    }

    /** Takes out the first one. */
    SimRequest remove() {
        SimRequest first = posted.removeFirst();
        if (waiting.peekFirst() == first) {
            waiting.removeFirst();
        }
        return first;
    }
}
