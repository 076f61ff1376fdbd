package dev.verbena.graph.run.edge;

import java.util.function.Consumer;

import dev.verbena.graph.plan.CrossingEdge;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.graph.run.execution.NodeFrame;
import dev.verbena.graph.run.execution.TransferKernel;
import dev.verbena.memory.Tensor;

/**
 * Receives a tensor along a crossing edge (the RdmaRecv operator of EuroSys'19 §4): polls until it is there. Its output is the slot itself,
 * what was read into memory of its own, or what the sender lends; when the last reader is done, it is free for the sender, or at all. Or it is dead,
 * as it is on the other task.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> confined to the session's thread.
 */
public final class ReceiveKernel implements TransferKernel {
    private final CrossingEdge edge;
    private final IncomingEdge end;
    private final boolean isLent;
    private Tensor arrived;

    /** @param isLent whether its tensors are the sender's still, and to be read only */
    public ReceiveKernel(CrossingEdge edge, IncomingEdge end, boolean isLent) {
        this.edge = edge;
        this.end = end;
        this.isLent = isLent;
    }

    @Override
    public boolean poll(KernelContext context) {
        arrived = end.poll();
        return arrived != null || end.pollDead();
    }

    @Override
    public void start(KernelContext context, Consumer<Throwable> done) {
        if (arrived == null) {
            NodeFrame.of(context).die();
        } else if (isLent) {
            NodeFrame.of(context).borrow(arrived);
        } else {
            context.setOutput(0, arrived);
        }
        arrived = null;
        done.accept(null);
    }

    @Override
    public String waitsFor() {
        if (end.lacksRoom()) {
            return "room for " + edge.subject() + " (edge " + edge
                    + "): close fetched tensors, or give more by SessionOptions.withDynamicMemory";
        }
        return edge.subject() + " from task=" + edge.fromTask() + " (edge " + edge + ")";
    }
}
