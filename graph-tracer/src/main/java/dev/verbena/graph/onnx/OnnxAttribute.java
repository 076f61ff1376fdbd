package dev.verbena.graph.onnx;

import java.util.List;

/**
 * A constant that belongs to a node.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param value of the type that the kind says; null if it is {@link Kind#OTHER}
 */
public record OnnxAttribute(String name, Kind kind, Object value) {
    /** What an attribute can be, and the type of its value. */
    public enum Kind {
        /** {@link Float}. */
        FLOAT,
        /** {@link Long}. */
        INTEGER,
        /** {@link String}. */
        STRING,
        /** {@link OnnxTensor}. */
        TENSOR,
        /** {@link OnnxGraph}. */
        GRAPH,
        /** {@code float[]}. */
        FLOATS,
        /** {@code long[]}. */
        INTEGERS,
        /** {@link List} of strings. */
        STRINGS,
        /** {@link List} of {@link OnnxGraph}. */
        GRAPHS,
        /** Several tensors, sparse tensors, types, and what refers to an attribute of a function. */
        OTHER
    }
}
