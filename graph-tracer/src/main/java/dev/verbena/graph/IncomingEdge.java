package dev.verbena.graph;

import dev.verbena.memory.Tensor;

/** The receiving end of a crossing edge. Confined to the session's thread. */
@FunctionalInterface
interface IncomingEdge {
    /** The next tensor, lying in its slot until it is closed; null if none has arrived. */
    Tensor poll();
}
