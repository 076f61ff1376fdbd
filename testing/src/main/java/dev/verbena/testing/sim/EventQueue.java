package dev.verbena.testing.sim;

import java.util.PriorityQueue;

/**
 * What is going to happen, by time; at the same time, in the order in which it was decided.
 *
 * <p><b>Owner:</b> the simulation. <b>Threading:</b> confined to it.
 */
final class EventQueue {
    static final long NEVER = Long.MAX_VALUE;

    /** Something that is going to happen, unless it is cancelled. */
    static final class Event implements Comparable<Event> {
        final long atNs;
        final String what;
        private final long sequence;
        private Runnable action;

        private Event(long atNs, long sequence, String what, Runnable action) {
            this.atNs = atNs;
            this.sequence = sequence;
            this.what = what;
            this.action = action;
        }

        void cancel() {
            action = null;
        }

        void run() {
            action.run();
        }

        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atNs, other.atNs);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long sequence;

    Event add(long atNs, String what, Runnable action) {
        Event event = new Event(atNs, sequence++, what, action);
        events.add(event);
        return event;
    }

    /** When the next one happens, or {@link #NEVER}. */
    long nextNs() {
        while (!events.isEmpty() && events.peek().action == null) {
            events.remove();
        }
        return events.isEmpty() ? NEVER : events.peek().atNs;
    }

    /** To be called if there is one. */
    Event take() {
        nextNs();
        return events.remove();
    }
}
