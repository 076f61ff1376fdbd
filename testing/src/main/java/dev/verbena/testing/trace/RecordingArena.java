package dev.verbena.testing.trace;

import java.util.Objects;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/**
 * Put around an arena, it records who allocates and frees what. Its tensors are used and closed as the arena's are; only
 * {@link TensorArena#owns} and {@link TensorArena#free} do not know them.
 *
 * <p><b>Owner:</b> whoever records, who also closes the arena. <b>Threading:</b> thread-safe.
 */
public final class RecordingArena {
    private final TensorArena arena;
    private final TraceRecorder recorder;

    /** Records what is allocated here from now on. */
    public RecordingArena(TensorArena arena, TraceRecorder recorder) {
        this.arena = Objects.requireNonNull(arena, "arena");
        this.recorder = Objects.requireNonNull(recorder, "recorder");
    }

    /** As {@link TensorArena#allocate}. That it is free is noted when its memory is: at the close, or at the last unpin. */
    public Tensor allocate(ElementType type, Shape shape) {
        return recorded(arena.allocate(type, shape));
    }

    /** As {@link TensorArena#tryAllocate}; a refusal is not noted. */
    public Tensor tryAllocate(ElementType type, Shape shape) {
        Tensor tensor = arena.tryAllocate(type, shape);
        return tensor == null ? null : recorded(tensor);
    }

    private Tensor recorded(Tensor tensor) {
        long address = tensor.address();
        recorder.allocated(address, tensor.byteSize());
        return Tensor.over(tensor.slab(), tensor.slabOffset(), tensor.type(), tensor.shape(), () -> {
            recorder.freed(address);
            tensor.close();
        });
    }
}
