package dev.verbena.testing.trace;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/**
 * An arena's tensors of bytes, one for each id.
 *
 * <p><b>Owner:</b> whoever replays, who also closes the arena. <b>Threading:</b> as {@link ReplayTarget} says.
 */
public final class ArenaReplayTarget implements ReplayTarget {
    private final TensorArena arena;
    private final Tensor[] tensors;

    /** For ids less than {@code idCount}; a trace has {@link Trace#allocationCount()}. */
    public ArenaReplayTarget(TensorArena arena, int idCount) {
        this.arena = arena;
        tensors = new Tensor[idCount];
    }

    @Override
    public void allocate(int id, long byteSize) {
        tensors[id] = arena.allocate(ElementType.UINT8, Shape.of(byteSize));
    }

    @Override
    public void free(int id) {
        tensors[id].close();
    }
}
