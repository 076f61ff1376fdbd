package dev.verbena.cli.perf;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.SlabSource;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.SendResult;

/**
 * The tensors that one side sends in turn, and an arena that has room for what it receives beside them.
 *
 * <p>There is one for each tensor that may be under way, so that an offer that would be taken means a source that nobody reads any more.
 *
 * <p>Owner: a {@link TensorCarrier}, which closes it last. Threading: confined to the command's thread.
 */
final class TensorSources implements AutoCloseable {
    private final TensorArena arena;
    private final List<Tensor> tensors = new ArrayList<>();
    private final List<MemorySegment> memories = new ArrayList<>();
    private long offered;

    /** @param received sizes of what the receiver allocates in the arena */
    TensorSources(SlabSource slabs, long byteSize, int count, long... received) {
        long[] planned = Arrays.copyOf(received, received.length + count);
        Arrays.fill(planned, received.length, planned.length, byteSize);
        long arenaByteSize = TensorArena.plannedByteSize(1, planned);
        arena = TensorArena.create(slabs, arenaByteSize, arenaByteSize);
        for (int i = 0; i < count; i++) {
            tensors.add(arena.allocate(ElementType.UINT8, Shape.of(byteSize)));
            memories.add(tensors.getLast().memory());
        }
    }

    TensorArena arena() {
        return arena;
    }

    List<MemorySegment> memories() {
        return Collections.unmodifiableList(memories);
    }

    MemorySegment next() {
        return memories.get((int) (offered % memories.size()));
    }

    /** The next one, which is offered now. */
    Tensor take() {
        return tensors.get((int) (offered++ % tensors.size()));
    }

    static void requireSent(SendResult result) {
        if (result != SendResult.SENT) {
            throw new IllegalStateException("a ready sender answered " + result);
        }
    }

    @Override
    public void close() {
        tensors.forEach(Tensor::close);
        arena.close();
    }
}
