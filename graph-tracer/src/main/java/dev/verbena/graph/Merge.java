package dev.verbena.graph;

import java.util.List;

/**
 * Where the branches of a run meet again: the input that is not dead, in the same storage; the first of them if several are not. Dead if all are.
 * TensorFlow's Merge, but that it waits until of each input it is known whether it comes.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * <p>Inputs are of one element type and rank. A dimension in which they differ is unknown before the run.
 */
public record Merge() implements Operation {
    private static final String DEPENDS_ON_BRANCH = "it depends on the branch that is taken";

    @Override
    public String name() {
        return "Merge";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        if (inputs.isEmpty()) {
            throw new IllegalArgumentException("inputs=0; give at least one");
        }
        TensorType merged = inputs.getFirst();
        for (TensorType input : inputs) {
            merged = merge(merged, input);
        }
        return List.of(merged);
    }

    private static TensorType merge(TensorType one, TensorType other) {
        if (one.elementType() != other.elementType() || one.shape().rank() != other.shape().rank()) {
            throw new IllegalArgumentException(
                    "branches of type=" + one + " and type=" + other + "; give them one element type and rank");
        }
        SymbolicShape shape = one.shape();
        for (int i = 0; i < shape.rank(); i++) {
            if (!shape.dimension(i).equals(other.shape().dimension(i))) {
                shape = shape.with(i, Dimension.unknown("?", DEPENDS_ON_BRANCH));
            }
        }
        return new TensorType(one.elementType(), shape);
    }

    @Override
    public boolean mergesBranches() {
        return true;
    }
}
