package dev.verbena.graph;

import java.util.List;
import java.util.function.Consumer;

import dev.verbena.memory.Tensor;

/** Interim. A tensor that lives as long as the session; the initializer fills it once. Threading: immutable. */
public record Variable(TensorType type, Consumer<Tensor> initializer) implements Operation.Synchronous {
    @Override
    public String name() {
        return "Variable";
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
