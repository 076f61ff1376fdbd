package dev.verbena.graph.run.edge;

import java.util.function.BiFunction;

import dev.verbena.graph.run.EdgeCarrier;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/**
 * A receiving end whose tensors are copied from what the carrier has brought.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> as {@link IncomingEdge}.
 */
public final class CarriedIncomingEdge implements IncomingEdge {
    private final EdgeCarrier.Incoming end;
    private final BiFunction<ElementType, Shape, Tensor> memory;
    private boolean isDead;

    /** @param memory for the tensors */
    public CarriedIncomingEdge(EdgeCarrier.Incoming end, BiFunction<ElementType, Shape, Tensor> memory) {
        this.end = end;
        this.memory = memory;
    }

    @Override
    public Tensor poll() {
        EdgeCarrier.Arrival arrival = isDead ? null : end.poll();
        if (arrival == null) {
            return null;
        }
        if (arrival.isDead()) {
            isDead = true;
            return null;
        }
        Tensor tensor = memory.apply(arrival.type(), arrival.shape());
        tensor.memory().copyFrom(arrival.content());
        return tensor;
    }

    @Override
    public boolean pollDead() {
        boolean wasDead = isDead;
        isDead = false;
        return wasDead;
    }
}
