package dev.verbena.graph.run.execution;

import dev.verbena.graph.run.Kernel;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/**
 * A kernel that waits for a peer, and can say for what when a deadline has passed. What it works on once it was
 * started is held by the transfer itself.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> confined to the session's thread, but for {@link #place}.
 */
public interface TransferKernel extends Kernel.PollingAsynchronous {
    /**
     * Memory for what it is to send, and for nothing else, where the peer has it; null where there is none at present, or nothing is sent.
     * Called before the kernel is polled, by whoever computes the tensor.
     */
    default Tensor place(ElementType type, Shape shape) {
        return null;
    }

    /** Such as {@code tensor 'w:0' from task=server:0 (edge w:0->worker:0)}. */
    String waitsFor();
}
