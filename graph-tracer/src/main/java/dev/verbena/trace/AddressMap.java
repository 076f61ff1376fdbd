package dev.verbena.trace;

import java.util.Arrays;

/**
 * Whose storage lies where: allocations in the order of their addresses. Confined to the tracer's lock.
 *
 * <pre>
 *   i            0            1            2
 *   start(i)     0x1000       0x2000       0x8000        rising
 *   end(i)       0x1800       0x4000       0x9000        end(i) &lt;= start(i + 1)
 *   lineages[i]  a#0          null         b#1           null: freed
 * </pre>
 *
 * <p>No two overlap: storage that is handed out is free, so what a new allocation covers is gone, whether its end was told or not. So the
 * newest wins, and the entry that begins at or before an address is the only one that can hold it. What was freed keeps its place: a
 * program that does the same again gets the same addresses, and then nothing moves and nothing is allocated on the heap.
 */
final class AddressMap {
    private static final int CAPACITY = 64;
    private static final int STRIDE = 4;
    private static final int END = 1;
    private static final int EPOCH = 2;
    /** More entries than this share of what is there, and it doubles; fewer, and freed ones are swept out. */
    private static final double LOAD = 0.75;
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** Beginning, end and epoch of each, on one cache line where it can be: what is looked up has long left the cache. */
    private long[] words = new long[CAPACITY * STRIDE];
    private Lineage[] lineages = new Lineage[CAPACITY];
    private int count;
    /** Entries of an earlier epoch count as freed. */
    private long epoch;
    /** Where a beginning was found last, by its hash; looked at before it is believed. */
    private int[] places = new int[CAPACITY * 2];

    /** An allocation, or with null what is none; what it covers is forgotten. */
    void put(long address, long byteSize, Lineage lineage) {
        long end = address + Math.max(1, byteSize);
        int known = knownPlace(address);
        if (known >= 0 && end(known) == end) {
            set(known, address, end, lineage);
            return;
        }
        int from = floor(address);
        if (from < 0 || end(from) <= address) {
            from++;
        }
        int to = from;
        while (to < count && start(to) < end) {
            to++;
        }
        if (from == to && count == lineages.length) {
            makeRoom();
            put(address, byteSize, lineage);
            return;
        }
        move(to, from + 1);
        set(from, address, end, lineage);
    }

    /** The entry that holds an address; negative if nothing that lives does. */
    int find(long address) {
        int place = knownPlace(address);
        if (place < 0) {
            place = floor(address);
        }
        return place >= 0 && address < end(place) && isLive(place) ? place : -1;
    }

    Lineage lineage(int place) {
        return lineages[place];
    }

    long byteSize(int place) {
        return end(place) - start(place);
    }

    void takeOver(int place, Lineage lineage) {
        lineages[place] = lineage;
    }

    /** The allocation that begins at an address has ended. */
    void remove(long address) {
        int place = find(address);
        if (place >= 0 && start(place) == address) {
            lineages[place] = null;
        }
    }

    /** All have ended. */
    void clear() {
        epoch++;
    }

    /** For tests: the order that makes {@link #find} right. */
    boolean isConsistent() {
        for (int i = 0; i < count; i++) {
            if (start(i) >= end(i) || i > 0 && end(i - 1) > start(i)) {
                return false;
            }
        }
        return count <= lineages.length;
    }

    private long start(int place) {
        return words[place * STRIDE];
    }

    private long end(int place) {
        return words[place * STRIDE + END];
    }

    private boolean isLive(int place) {
        return lineages[place] != null && words[place * STRIDE + EPOCH] == epoch;
    }

    private void set(int place, long address, long end, Lineage lineage) {
        words[place * STRIDE] = address;
        words[place * STRIDE + END] = end;
        words[place * STRIDE + EPOCH] = epoch;
        lineages[place] = lineage;
        places[hash(address)] = place;
    }

    private int hash(long address) {
        return (int) (address * SPREAD >>> 32) & places.length - 1;
    }

    private int knownPlace(long address) {
        int place = places[hash(address)];
        return place < count && start(place) == address ? place : -1;
    }

    /** The last entry that begins at or before an address; -1 if all begin after it. */
    private int floor(long address) {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (start(middle) <= address) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /** What begins at one place begins at another from now on. */
    private void move(int from, int to) {
        int moved = count - from;
        if (from != to && moved > 0) {
            System.arraycopy(words, from * STRIDE, words, to * STRIDE, moved * STRIDE);
            System.arraycopy(lineages, from, lineages, to, moved);
        }
        int before = count;
        count += to - from;
        if (count < before) {
            Arrays.fill(lineages, count, before, null);
        }
    }

    private void makeRoom() {
        int live = 0;
        for (int i = 0; i < count; i++) {
            if (isLive(i)) {
                System.arraycopy(words, i * STRIDE, words, live * STRIDE, STRIDE);
                lineages[live] = lineages[i];
                live++;
            }
        }
        Arrays.fill(lineages, live, count, null);
        count = live;
        if (live > lineages.length * LOAD) {
            int capacity = lineages.length * 2;
            words = Arrays.copyOf(words, capacity * STRIDE);
            lineages = Arrays.copyOf(lineages, capacity);
            places = new int[capacity * 2];
        }
    }
}
