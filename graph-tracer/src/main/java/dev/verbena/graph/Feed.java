package dev.verbena.graph;

import java.util.List;

/** Interim. A node whose tensor the caller feeds at each run. Threading: immutable. */
public record Feed(TensorType type) implements Operation.Synchronous {
    @Override
    public String name() {
        return "Feed";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        return List.of(type);
    }

    @Override
    public void compute(KernelContext context) {
        throw new UnsupportedOperationException();
    }
}
