package dev.verbena.graph.run.memory;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/**
 * Where a session's tensors come from.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> thread-safe.
 */
@FunctionalInterface
public interface TensorAllocator {
    /** A tensor with undefined contents; null if this memory is limited and full. */
    Tensor allocate(ElementType type, Shape shape);
}
