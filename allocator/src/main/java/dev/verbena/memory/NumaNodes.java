package dev.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.verbena.memory.slab.NodeMemory;

/**
 * The machine's NUMA nodes, and memory bound to one of them.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class NumaNodes {
    private NumaNodes() {}

    /** The nodes that have memory, in ascending order; empty where the kernel knows none. */
    public static List<Integer> all() {
        return NodeMemory.all();
    }

    /**
     * Moves all pages of this memory to the node, and takes those that are still to come from there. Pages that other processes have
     * mapped too stay where they are, which is an error.
     *
     * @throws IllegalArgumentException if the machine has no such node, or the memory does not begin on a page
     * @throws OutOfArenaMemoryException if the system does not let it
     */
    public static void bind(MemorySegment memory, int node) {
        NodeMemory.bind(memory, node);
    }
}
