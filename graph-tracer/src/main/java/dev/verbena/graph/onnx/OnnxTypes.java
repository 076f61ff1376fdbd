package dev.verbena.graph.onnx;

import java.util.Arrays;
import java.util.Optional;

import dev.verbena.memory.ElementType;

/**
 * Types of elements by their codes in a file, which may be any number.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class OnnxTypes {
    private static final long STRING = 8;

    private OnnxTypes() {}

    /** Empty if {@link ElementType} has none such: strings, for example. */
    public static Optional<ElementType> ofCode(long code) {
        return Arrays.stream(ElementType.values()).filter(type -> type.code() == code).findFirst();
    }

    /** For messages. */
    public static String nameOf(long code) {
        return ofCode(code).map(ElementType::onnxName)
                .orElse(code == 0 ? "nothing said" : code == STRING ? "STRING" : "type " + code);
    }
}
