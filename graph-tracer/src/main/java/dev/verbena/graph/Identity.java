package dev.verbena.graph;

import java.util.List;

/**
 * Its input under another node's name, in the same storage.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record Identity() implements Operation {
    @Override
    public String name() {
        return "Identity";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Arity.check(inputs, 1);
        return inputs;
    }

    @Override
    public boolean forwards() {
        return true;
    }
}
