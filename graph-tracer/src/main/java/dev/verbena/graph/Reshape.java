package dev.verbena.graph;

import java.util.List;

import dev.verbena.memory.Shape;

/**
 * Its input under another shape of equally many elements, in the same storage.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * <p>One dimension of the target need not be a number; it is what the others leave.
 *
 * @param target the shape wanted
 */
public record Reshape(SymbolicShape target) implements Operation {
    /** Throws {@link IllegalArgumentException} if more than one dimension of the target is no number. */
    public Reshape {
        if (target.dimensions().stream().filter(dimension -> !dimension.isKnown()).count() > 1) {
            throw new IllegalArgumentException("reshape to " + target + "; leave at most one dimension open");
        }
    }

    /** To a shape known in full. */
    public Reshape(Shape target) {
        this(SymbolicShape.of(target));
    }

    @Override
    public String name() {
        return "Reshape";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Arity.check(inputs, 1);
        TensorType input = inputs.getFirst();
        SymbolicShape shape = resolve(input.shape());
        return List.of(new TensorType(input.elementType(), shape));
    }

    @Override
    public boolean forwards() {
        return true;
    }

    /**
     * The target with the dimension that is open, if there is one, filled in as far as the input tells.
     *
     * @throws IllegalArgumentException if the numbers of elements differ
     */
    public SymbolicShape resolve(SymbolicShape input) {
        Dimension rest = input.elementCount();
        int open = -1;
        Dimension others = Dimension.of(1);
        for (int i = 0; i < target.rank(); i++) {
            if (target.dimension(i).isKnown()) {
                others = others.times(target.dimension(i));
            } else {
                open = i;
            }
        }
        if (open < 0) {
            if (rest.differsFrom(others)) {
                throw conflict(input);
            }
            return target;
        }
        if (others.is(0)) {
            throw conflict(input);
        }
        Dimension filled = rest.dividedBy(others);
        if (rest.differsFrom(filled.times(others))) {
            throw conflict(input);
        }
        return target.with(open, filled);
    }

    private IllegalArgumentException conflict(SymbolicShape input) {
        return new IllegalArgumentException("cannot reshape " + input + " with elementCount=" + input.elementCount()
                + " to " + target);
    }
}
