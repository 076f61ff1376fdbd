package dev.verbena.graph.run.execution;

import java.util.Arrays;

/**
 * Nodes that can run, first in first out. Bounded by the plan: a node is in it at most once. Confined to the executor's thread.
 */
final class ReadyQueue {
    private NodeRun[] ring = {};
    private int head;
    private int size;

    /** Empties it and makes room. */
    void reset(int capacity) {
        if (ring.length < capacity) {
            ring = new NodeRun[capacity];
        } else {
            Arrays.fill(ring, null);
        }
        head = 0;
        size = 0;
    }

    void addLast(NodeRun run) {
        ring[(head + size) % ring.length] = run;
        size++;
    }

    /** Null if it is empty. */
    NodeRun pollFirst() {
        if (size == 0) {
            return null;
        }
        NodeRun run = ring[head];
        ring[head] = null;
        head = (head + 1) % ring.length;
        size--;
        return run;
    }

    int size() {
        return size;
    }

    /** The i-th from the head. */
    NodeRun get(int i) {
        return ring[(head + i) % ring.length];
    }
}
