package dev.verbena.graph;

import java.util.List;

import dev.verbena.memory.Shape;

/**
 * Its input under another shape of equally many elements, in the same storage.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 *
 * <p>One dimension of the target may be unknown; it is what the others leave.
 *
 * @param target the shape wanted
 */
public record Reshape(PartialShape target) implements Operation.Synchronous, Forwarding {
    public Reshape {
        if (target.unknownCount() > 1) {
            throw new IllegalArgumentException("reshape to " + target + "; leave at most one dimension unknown");
        }
    }

    /** To a shape known in full. */
    public Reshape(Shape target) {
        this(PartialShape.of(target));
    }

    @Override
    public String name() {
        return "Reshape";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Arity.check(inputs, 1);
        TensorType input = inputs.getFirst();
        PartialShape shape = input.isStatic() ? PartialShape.of(resolve(input.shape().toShape())) : target;
        return List.of(new TensorType(input.elementType(), shape));
    }

    @Override
    public void compute(KernelContext context) {
        context.forward(0, 0, resolve(context.input(0).shape()));
    }

    /** The target with its unknown dimension, if any, filled in. */
    private Shape resolve(Shape input) {
        long[] dimensions = target.dimensions();
        long known = 1;
        int unknown = -1;
        for (int i = 0; i < dimensions.length; i++) {
            if (dimensions[i] == PartialShape.UNKNOWN) {
                unknown = i;
            } else {
                known = Math.multiplyExact(known, dimensions[i]);
            }
        }
        if (unknown >= 0 && known != 0 && input.elementCount() % known == 0) {
            dimensions[unknown] = input.elementCount() / known;
        } else if (unknown >= 0 || known != input.elementCount()) {
            throw new IllegalArgumentException("cannot reshape " + input + " with elementCount=" + input.elementCount()
                    + " to " + target);
        }
        return Shape.of(dimensions);
    }
}
