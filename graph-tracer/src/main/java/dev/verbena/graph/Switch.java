package dev.verbena.graph;

import java.util.List;

import dev.verbena.memory.ElementType;

/**
 * Where a run branches: its first input in the same storage, as output 0 if the second one, the predicate, is false, as output 1 if it is true. The
 * other output is dead, and so is all that is computed of it, up to a {@link Merge}. TensorFlow's Switch.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * <p>What the branch does not take through a Switch runs in any case. A control input only orders: what waits for a node that does not run
 * runs when that is known.
 */
public record Switch() implements Operation {
    /** The output that is there where the predicate is false. */
    public static final int FALSE = 0;
    /** The other one. */
    public static final int TRUE = 1;
    private static final int PREDICATE = 1;

    @Override
    public String name() {
        return "Switch";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Arity.check(inputs, 2);
        TensorType predicate = inputs.get(PREDICATE);
        if (predicate.elementType() != ElementType.BOOL
                || predicate.shape().elementCount().differsFrom(Dimension.of(1))) {
            throw new IllegalArgumentException("predicate of type=" + predicate + "; give one element of type=BOOL");
        }
        return List.of(inputs.getFirst(), inputs.getFirst());
    }

    @Override
    public int decidingInput() {
        return PREDICATE;
    }
}
