package dev.verbena.graph;

import java.util.List;
import java.util.function.Consumer;

import dev.verbena.memory.Tensor;

/**
 * Receives a tensor along a crossing edge (the RdmaRecv operator of EuroSys'19 §4): polls until the slot is full. Its output is
 * the slot itself; when the last reader is done the slot is free for the sender again.
 */
final class ReceiveOperation implements Operation.PollingAsynchronous, Waiting {
    private final CrossingEdge edge;
    private IncomingEdge end;
    private Tensor arrived;

    ReceiveOperation(CrossingEdge edge) {
        this.edge = edge;
    }

    CrossingEdge edge() {
        return edge;
    }

    void bind(IncomingEdge end) {
        this.end = end;
    }

    @Override
    public String name() {
        return "Recv";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Arity.check(inputs, 0);
        return List.of(edge.type());
    }

    @Override
    public boolean poll(KernelContext context) {
        arrived = end.poll();
        return arrived != null;
    }

    @Override
    public void start(KernelContext context, Consumer<Throwable> done) {
        context.setOutput(0, arrived);
        arrived = null;
        done.accept(null);
    }

    @Override
    public String waitsFor() {
        return "tensor '" + edge.output() + "' from task=" + edge.fromTask() + " (edge " + edge + ")";
    }
}
