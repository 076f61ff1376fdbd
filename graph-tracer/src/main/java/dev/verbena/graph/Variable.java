package dev.verbena.graph;

import java.util.List;
import java.util.function.Consumer;

import dev.verbena.memory.Tensor;

/**
 * A tensor that lives as long as the session: allocated and initialised in the first run that needs it, changed by nodes with
 * {@link Operation#mutatedInputs()}.
 *
 * <p><b>Owner:</b> the graph; each session owns its tensor. <b>Threading:</b> immutable; the initializer runs once per session,
 * on the thread that runs it.
 *
 * <p>Its allocation is a site like any other: when the tracer finds that the variable is sent, the session moves it into
 * registered memory, once, at the end of that iteration.
 *
 * @param type all dimensions known
 * @param initializer fills the tensor; its contents are undefined before
 */
public record Variable(TensorType type, Consumer<Tensor> initializer) implements Operation {
    /** Throws {@link IllegalArgumentException} if a dimension of the type is no number. */
    public Variable {
        if (!type.isStatic()) {
            throw new IllegalArgumentException("variable of type=" + type + "; give it known dimensions");
        }
    }

    @Override
    public String name() {
        return "Variable";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Arity.check(inputs, 0);
        return List.of(type);
    }
}
