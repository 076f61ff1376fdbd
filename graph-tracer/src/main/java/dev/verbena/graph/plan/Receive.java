package dev.verbena.graph.plan;

import java.util.List;

import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;

/**
 * Stands, on the task that reads a tensor, for the other task's computing it (the RdmaRecv operator of EuroSys'19 §4).
 *
 * <p><b>Owner:</b> the partition. <b>Threading:</b> immutable.
 *
 * @param edge that it receives along
 */
public record Receive(CrossingEdge edge) implements Operation {
    @Override
    public String name() {
        return "Recv";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        return List.of(edge.type());
    }
}
