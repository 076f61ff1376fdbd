package dev.verbena.stress.soak;

import java.util.SplittableRandom;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** The ways to get a block. */
final class Allocation {
    private Allocation() {}

    /** Null if the arena has no memory. */
    static Holding of(TestedArena arena, long byteSize, long mark, SplittableRandom random) {
        try {
            return switch (random.nextInt(3)) {
                case 0 -> new HeldAddress(arena, arena.arena.allocateAddress(byteSize), byteSize, mark);
                case 1 -> held(arena, arena.arena.allocate(ElementType.UINT8, Shape.of(byteSize)), mark);
                default -> held(arena, arena.arena.tryAllocate(ElementType.UINT8, Shape.of(byteSize)), mark);
            };
        } catch (OutOfArenaMemoryException _) {
            return null;
        }
    }

    private static Holding held(TestedArena arena, Tensor tensor, long mark) {
        return tensor == null ? null : new HeldTensor(arena, tensor, mark);
    }
}
