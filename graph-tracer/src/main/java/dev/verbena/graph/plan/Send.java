package dev.verbena.graph.plan;

import java.util.List;

import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;

/**
 * Stands, on the task that computes a tensor, for the other task's reading it (the RdmaSend operator of EuroSys'19 §4).
 *
 * <p><b>Owner:</b> the partition. <b>Threading:</b> immutable.
 *
 * @param edge that it sends along
 */
public record Send(CrossingEdge edge) implements Operation {
    @Override
    public String name() {
        return "Send";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        return List.of();
    }
}
