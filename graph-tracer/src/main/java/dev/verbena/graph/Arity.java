package dev.verbena.graph;

import java.util.List;

/** How many inputs an operation takes. */
final class Arity {
    private Arity() {}

    static void check(List<TensorType> inputs, int expected) {
        if (inputs.size() != expected) {
            throw new IllegalArgumentException("inputs=" + inputs.size() + "; give exactly " + expected);
        }
    }
}
