package dev.verbena.graph.onnx.operator;

import java.util.Arrays;
import java.util.Optional;

import dev.verbena.graph.onnx.OnnxTypes;
import dev.verbena.memory.ElementType;

/**
 * Types as attributes of nodes say them.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class Types {
    private Types() {}

    /** Empty for types whose elements have no fixed size, and for what is no type. */
    static Optional<ElementType> ofCode(long code) {
        return OnnxTypes.ofCode(code);
    }

    /** As the first version of Cast has them. */
    static Optional<ElementType> ofName(String name) {
        return Arrays.stream(ElementType.values()).filter(type -> type.onnxName().equals(name)).findFirst();
    }
}
