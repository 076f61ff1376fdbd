package dev.verbena.transfer.exchange;

import org.agrona.collections.Object2ObjectHashMap;

/**
 * What waits for its counterpart, by name and step; of several with the same name and step the first that came is the first found, as
 * messages with one tag match in MPI.
 *
 * <p><b>Owner:</b> {@link AdaptiveExchangeReceiver}, who also says how many there may be. <b>Threading:</b> guarded by its owner; nothing is
 * allocated in steady state.
 */
final class MatchTable<T extends MatchTable.Entry> {
    /** What is in such a table, in one at a time. */
    abstract static class Entry {
        private String name;
        private long step;
        /** The one that came after it with the same name and step. */
        private Entry next;

        void call(String name, long step) {
            this.name = name;
            this.step = step;
        }

        final String name() {
            return name;
        }

        final long step() {
            return step;
        }

        @Override
        public final int hashCode() {
            return name.hashCode() * 31 + Long.hashCode(step);
        }

        @Override
        public final boolean equals(Object other) {
            return other instanceof Entry entry && entry.step == step && entry.name.equals(name);
        }

        @Override
        public String toString() {
            return "'" + name + "' step=" + step;
        }
    }

    /** What is looked for. */
    private static final class Probe extends Entry {}

    /** The first of each name and step, by itself. */
    private final Object2ObjectHashMap<Entry, T> first = new Object2ObjectHashMap<>();
    private final Probe probe = new Probe();
    private int size;

    int size() {
        return size;
    }

    void add(T entry) {
        size++;
        ((Entry) entry).next = null;
        T head = first.put(entry, entry);
        if (head == null) {
            return;
        }
        first.put(head, head);
        Entry last = head;
        while (last.next != null) {
            last = last.next;
        }
        last.next = entry;
    }

    /** Takes the first one; null if there is none. */
    @SuppressWarnings("unchecked")
    T poll(String name, long step) {
        if (size == 0) {
            return null;
        }
        probe.call(name, step);
        T found = first.remove(probe);
        if (found != null) {
            size--;
            T next = (T) ((Entry) found).next;
            if (next != null) {
                first.put(next, next);
            }
        }
        return found;
    }

    /** The first one, which stays; null if there is none. The others of that name and step: {@link #next}. */
    T peek(String name, long step) {
        if (size == 0) {
            return null;
        }
        probe.call(name, step);
        return first.get(probe);
    }

    /** The one that came after it, with the same name and step; null if there is none. */
    @SuppressWarnings("unchecked")
    T next(T entry) {
        return (T) ((Entry) entry).next;
    }

    /** Takes that one. @return whether it was there */
    boolean remove(T entry) {
        T head = first.get(entry);
        if (head == entry) {
            poll(entry.name(), entry.step());
            return true;
        }
        for (Entry each = head; each != null; each = each.next) {
            if (each.next == entry) {
                each.next = ((Entry) entry).next;
                size--;
                return true;
            }
        }
        return false;
    }

    /** Takes any; null if there is none. */
    T pollAny() {
        for (T head : first.values()) {
            return poll(head.name(), head.step());
        }
        return null;
    }
}
