package dev.verbena.graph;

import java.util.List;

/**
 * A node whose tensor the caller hands in at each run, such as a mini-batch of images.
 *
 * <p><b>Owner:</b> the graph; the tensor that is fed stays the caller's. <b>Threading:</b> immutable.
 *
 * <p>Dimensions may be unknown; every tensor fed must fit the type. A feed that crosses to another task is copied each time, unless
 * the caller allocated it in memory registered with the session's device.
 *
 * @param type what may be fed
 */
public record Feed(TensorType type) implements Operation {
    @Override
    public String name() {
        return "Feed";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Arity.check(inputs, 0);
        return List.of(type);
    }
}
