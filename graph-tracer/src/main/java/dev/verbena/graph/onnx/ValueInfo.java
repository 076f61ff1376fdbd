package dev.verbena.graph.onnx;

import java.util.List;
import java.util.Optional;

import dev.verbena.graph.Dimension;
import dev.verbena.memory.ElementType;

/**
 * What a model says of a tensor: of its inputs, its outputs, and now and then of what lies between.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param type what it is, such as {@code FLOAT}, or {@code sequence} for what is no tensor; for messages
 * @param elementType empty if it is no tensor, or one of elements that {@link ElementType} has not
 * @param dimensions empty if not even the rank is said; a dimension about which nothing is said is empty, one below 0 is not said either
 * @param isTensor whether it is a tensor, of whatever elements
 */
public record ValueInfo(String name, String type, Optional<ElementType> elementType,
        Optional<List<Optional<Dimension>>> dimensions, boolean isTensor) {
    /** Copies the list of dimensions, in which nothing may be null. */
    public ValueInfo {
        dimensions = dimensions.map(List::copyOf);
    }
}
