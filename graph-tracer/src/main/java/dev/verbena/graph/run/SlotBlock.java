package dev.verbena.graph.run;

import java.util.concurrent.atomic.AtomicInteger;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/**
 * One block of registered memory for the slots of all receivers of a session, one after the other, as the plan counts them. Each on its own would
 * take a slot of a size class, and a few small ones a run of each class.
 *
 * <p><b>Owner:</b> the session's set-up. <b>Threading:</b> taken from by the thread that sets up; given back on any, and free when all is.
 */
final class SlotBlock {
    private final Tensor block;
    /** What is taken, and the block's owner. */
    private final AtomicInteger users = new AtomicInteger(1);
    private long takenByteSize;

    SlotBlock(TensorArena arena, long byteSize) {
        block = arena.allocate(ElementType.UINT8, Shape.of(byteSize));
    }

    /** The next bytes; closed, they are given back. */
    Tensor take(long byteSize) {
        long offset = takenByteSize;
        if (byteSize > block.byteSize() - offset) {
            throw new IllegalStateException(
                    "slots of byteSize=" + byteSize + " do not fit behind " + offset + " of " + block
                            + "; this is a defect of the plan");
        }
        takenByteSize += byteSize;
        users.incrementAndGet();
        return Tensor.over(block.slab(), block.slabOffset() + offset, ElementType.UINT8, Shape.of(byteSize),
                this::giveBack);
    }

    private void giveBack() {
        if (users.decrementAndGet() == 0) {
            block.close();
        }
    }

    /** Takes no more; what is taken stays until it is closed. */
    void close() {
        giveBack();
    }
}
