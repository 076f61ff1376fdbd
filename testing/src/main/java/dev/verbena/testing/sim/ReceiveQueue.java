package dev.verbena.testing.sim;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The receives of one queue pair, in the order posted.
 *
 * <pre>
 *   reaped  [ended, or taken by a message under way]  [free]
 *           delivered in this order                   taken in this order
 * </pre>
 *
 * <p><b>Owner:</b> its queue pair. <b>Threading:</b> confined to the simulation.
 */
final class ReceiveQueue {
    private final int depth;
    private final Deque<SimReceive> taken = new ArrayDeque<>();
    private final Deque<SimReceive> free = new ArrayDeque<>();
    /** Who waits for one to be posted; null if nobody does. */
    private Runnable waiting;

    ReceiveQueue(int depth) {
        this.depth = depth;
    }

    boolean isFull() {
        return taken.size() + free.size() == depth;
    }

    boolean isEmpty() {
        return taken.isEmpty() && free.isEmpty();
    }

    void post(SimReceive receive) {
        free.addLast(receive);
        if (waiting != null) {
            Runnable waiter = waiting;
            waiting = null;
            waiter.run();
        }
    }

    /** For the message whose turn it is; null if there is none. */
    SimReceive take() {
        if (free.isEmpty()) {
            return null;
        }
        SimReceive receive = free.removeFirst();
        taken.addLast(receive);
        return receive;
    }

    void whenPosted(Runnable then) {
        waiting = then;
    }

    /** The first one that is not delivered yet, if it has ended and may be seen; else null. */
    SimReceive ended(boolean evenIfInvisible) {
        SimReceive first = taken.peekFirst();
        return first != null && first.status != null && (first.isVisible || evenIfInvisible) ? first : null;
    }

    int visibleCount() {
        int count = 0;
        for (SimReceive receive : taken) {
            if (!receive.isVisible) {
                break;
            }
            count++;
        }
        return count;
    }

    /** Takes out the first one. */
    SimReceive remove() {
        return taken.isEmpty() ? free.removeFirst() : taken.removeFirst();
    }
}
