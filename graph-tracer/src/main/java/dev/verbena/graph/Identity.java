package dev.verbena.graph;

import java.util.List;

/**
 * Its input under another node's name, in the same storage.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
 */
public record Identity() implements Operation.Synchronous, Forwarding {
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
    public void compute(KernelContext context) {
        context.forward(0, 0, context.input(0).shape());
    }
}
