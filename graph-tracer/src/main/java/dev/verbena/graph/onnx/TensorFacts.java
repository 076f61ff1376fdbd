package dev.verbena.graph.onnx;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.memory.ElementType;

/**
 * What is known of a tensor before the run.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param elementType empty if it is not known, or one that {@link ElementType} has not
 * @param shape empty if not even the rank is known
 * @param contents of what shapes are computed from
 * @param everywhere what each element is, if that is known, however many there are
 * @param reason why the rank is not known; empty if it is
 */
public record TensorFacts(Optional<ElementType> elementType, Optional<SymbolicShape> shape,
        Optional<Contents> contents, Optional<Long> everywhere, Optional<String> reason) {
    /** Throws {@link IllegalArgumentException} if not exactly one of shape and reason is there, or contents are not as many as the shape says. */
    public TensorFacts {
        if (shape.isPresent() == reason.isPresent()) {
            throw new IllegalArgumentException("a shape or a reason, and not both: " + shape + reason);
        }
        if (contents.isPresent() && !shape.map(each -> each.elementCount().is(contents.get().count())).orElse(false)) {
            throw new IllegalArgumentException("contents " + contents.get() + " of a tensor of shape " + shape);
        }
    }

    /** Without anything known of its contents. */
    public static TensorFacts of(Optional<ElementType> elementType, SymbolicShape shape) {
        return new TensorFacts(elementType, Optional.of(shape), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** @param reason half a sentence */
    public static TensorFacts unranked(Optional<ElementType> elementType, String reason) {
        return new TensorFacts(elementType, Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(reason));
    }

    /** With contents, as many as its shape, which must be known, has elements; else throws {@link IllegalArgumentException}. */
    public TensorFacts with(Contents known) {
        return new TensorFacts(elementType, shape, Optional.of(known), everywhere, reason);
    }

    /** Whether its size is known before the run: its transfer can be placed statically. */
    public boolean isStatic() {
        return shape.isPresent() && shape.get().isKnown() && elementType.isPresent();
    }

    /** Why it is not static; empty if it is. Half a sentence. */
    public Optional<String> whyDynamic() {
        if (isStatic()) {
            return Optional.empty();
        }
        if (shape.isEmpty()) {
            return reason;
        }
        Set<String> symbols = new TreeSet<>();
        for (Dimension dimension : shape.get().dimensions()) {
            if (dimension.isUnknown()) {
                return dimension.reason();
            }
            symbols.addAll(dimension.symbols());
        }
        return Optional.of(symbols.isEmpty() ? "the type of its elements is not known, or has no fixed size"
                : "the model's inputs decide " + String.join(", ", symbols));
    }

    @Override
    public String toString() {
        return elementType.map(ElementType::toString).orElse("?") + " "
                + shape.map(SymbolicShape::toString).orElse("of unknown rank")
                + contents.map(known -> " = " + known).orElse("");
    }
}
