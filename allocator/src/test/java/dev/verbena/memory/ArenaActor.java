package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;

import dev.verbena.memory.heap.SizeClasses;

/** One thread that carries out a list of steps on an arena, against the model that all threads share. */
final class ArenaActor implements Callable<Void> {
    /** What a thread may do next. */
    enum Kind {
        ALLOCATE,
        /** A tensor with headroom, an alignment, zeroed. */
        ALLOCATE_WITH_OPTIONS,
        /** A block by address. */
        ALLOCATE_ADDRESS,
        /** Likewise, on a boundary of 1 to 16,384 bytes. */
        ALLOCATE_ALIGNED,
        /** Of a block by address, where it is. */
        RESIZE, FREE,
        /** Gives what it has to whichever thread takes it over. */
        HAND_OVER,
        /** Frees what another thread allocated. */
        FREE_FOREIGN,
        /** Pins a tensor and closes it: it stays. */
        CLOSE_PINNED,
        /** Frees one of those by unpinning it. */
        UNPIN,
        /** A tensor of this thread's scope. */
        ALLOCATE_IN_SCOPE,
        /** All that is in the scope, at once. */
        END_SCOPE,
        /** Empty slabs go back. */
        TRIM
    }

    /** {@code size} is for those that want one, {@code choice} picks a block or an alignment for the others. */
    record Step(Kind kind, int size, int choice) {
        @Override
        public String toString() {
            return switch (kind) {
                case ALLOCATE, ALLOCATE_ADDRESS, ALLOCATE_IN_SCOPE -> kind + " " + size;
                case ALLOCATE_WITH_OPTIONS -> kind + " " + size + " " + options();
                case ALLOCATE_ALIGNED -> kind + " " + size + " at " + alignment();
                case RESIZE -> kind + " #" + choice + (choice % 2 == 0 ? " to " : " by ") + size;
                case FREE, HAND_OVER, CLOSE_PINNED, UNPIN -> kind + " #" + choice;
                case FREE_FOREIGN, END_SCOPE, TRIM -> kind.toString();
            };
        }

        long alignment() {
            return 1L << choice % 15;
        }

        TensorOptions options() {
            long headroomByteSize = HEADROOM_BYTE_SIZES[choice % HEADROOM_BYTE_SIZES.length];
            return new TensorOptions(alignment(), headroomByteSize, choice / 2 % 2 == 0);
        }
    }

    /** A closed tensor does not give its memory any more, so that is kept along. */
    private record Pinned(Tensor tensor, MemorySegment memory) {}

    private static final long[] HEADROOM_BYTE_SIZES = {0, 16, 24, 100};
    private static final long SCOPE_BLOCK_BYTE_SIZE = 16 * 1024;

    private final TensorArena arena;
    private final ArenaModel model;
    private final Queue<HeldBlock> handedOver;
    private final List<Step> steps;
    private final boolean isAlone;
    private final List<HeldBlock> live = new ArrayList<>();
    private final List<Pinned> pinned = new ArrayList<>();
    private final List<Tensor> inScope = new ArrayList<>();
    private IterationScope scope;

    ArenaActor(TensorArena arena, ArenaModel model, Queue<HeldBlock> handedOver, List<Step> steps, boolean isAlone) {
        this.arena = arena;
        this.model = model;
        this.handedOver = handedOver;
        this.steps = steps;
        this.isAlone = isAlone;
    }

    @Override
    public Void call() {
        for (Step step : steps) {
            try {
                carryOut(step);
            } catch (OutOfArenaMemoryException refused) {
                // As well as null; what does not fit is another property.
            }
            if (isAlone) {
                assertTrue(arena.isConsistent(), "consistent");
            }
        }
        endScope();
        return null;
    }

    /** Frees what it still has; another thread may do that. */
    void freeAll() {
        live.forEach(this::free);
        live.clear();
        pinned.forEach(this::unpin);
        pinned.clear();
    }

    private void carryOut(Step step) {
        switch (step.kind()) {
            case ALLOCATE -> allocate(step.size());
            case ALLOCATE_WITH_OPTIONS -> allocate(step.size(), step.options());
            case ALLOCATE_ADDRESS -> add(arena.allocateAddress(step.size()), step.size(), step.size(),
                    !SizeClasses.isSmall(step.size()));
            case ALLOCATE_ALIGNED -> allocateAligned(step.size(), step.alignment());
            case RESIZE -> {
                List<HeldBlock.ByAddress> blocks = live.stream().filter(HeldBlock.ByAddress.class::isInstance)
                        .map(HeldBlock.ByAddress.class::cast).toList();
                if (!blocks.isEmpty()) {
                    HeldBlock.ByAddress block = blocks.get(step.choice() % blocks.size());
                    resize(block, step.size() + (step.choice() % 2 == 0 ? 0 : block.byteSize()));
                }
            }
            case FREE -> {
                if (!live.isEmpty()) {
                    free(live.remove(step.choice() % live.size()));
                }
            }
            case HAND_OVER -> {
                if (!live.isEmpty()) {
                    handedOver.add(live.remove(step.choice() % live.size()));
                }
            }
            case FREE_FOREIGN -> {
                HeldBlock block = handedOver.poll();
                if (block != null) {
                    free(block);
                }
            }
            case CLOSE_PINNED -> {
                if (!live.isEmpty() && live.get(step.choice() % live.size()) instanceof HeldBlock.OfTensor block) {
                    live.remove(block);
                    closePinned(block);
                }
            }
            case UNPIN -> {
                if (!pinned.isEmpty()) {
                    unpin(pinned.remove(step.choice() % pinned.size()));
                }
            }
            case ALLOCATE_IN_SCOPE -> allocateInScope(step.size());
            case END_SCOPE -> endScope();
            case TRIM -> arena.trim();
        }
    }

    private void allocate(int size) {
        Tensor tensor = arena.tryAllocate(ElementType.UINT8, Shape.of(size));
        if (tensor != null) {
            model.allocated(tensor);
            live.add(new HeldBlock.OfTensor(tensor));
        }
    }

    private void allocate(int size, TensorOptions options) {
        Tensor tensor = arena.tryAllocate(ElementType.UINT8, Shape.of(size), options);
        if (tensor != null) {
            model.allocated(tensor, options);
            live.add(new HeldBlock.OfTensor(tensor));
        }
    }

    private void allocateAligned(int size, long alignment) {
        long byteSize = alignment <= SizeClasses.ALIGNMENT ? size
                : SizeClasses.ceil(Math.max(size, 1), Math.min(alignment, SizeClasses.PAGE_BYTE_SIZE));
        long address = arena.allocateAddress(size, alignment);
        assertEquals(0, address % alignment, "alignment");
        add(address, size, byteSize, alignment > SizeClasses.PAGE_BYTE_SIZE || !SizeClasses.isSmall(byteSize));
    }

    private void add(long address, int size, long blockByteSize, boolean isLarge) {
        HeldBlock.ByAddress block = new HeldBlock.ByAddress(arena.blocks().slabAt(address).memory(), address, size,
                isLarge);
        model.allocated(block.memory(), block.slab(), ArenaModel.blockByteSize(blockByteSize));
        live.add(block);
    }

    private void resize(HeldBlock.ByAddress block, long size) {
        HeldBlock.ByAddress now = new HeldBlock.ByAddress(block.slab(), block.address(), size, block.isLarge());
        long before = model.blockAt(block);
        long after = block.isLarge() ? SizeClasses.pagesOf(size) * SizeClasses.PAGE_BYTE_SIZE : before;
        if (after < before) {
            // Others may have the rest before the call returns.
            model.shrinking(block, after);
        }
        boolean isResized = arena.resizeAddress(block.address(), size);
        assertTrue(isResized || after > before || !block.isLarge(), "a large block shrinks");
        if (isResized) {
            live.set(live.indexOf(block), now);
            model.resized(block.memory(), now.memory(), now.slab(), after);
        }
    }

    private void free(HeldBlock block) {
        model.freeing(block.memory());
        block.free(arena);
    }

    private void closePinned(HeldBlock.OfTensor block) {
        Tensor tensor = block.tensor();
        pinned.add(new Pinned(tensor, block.memory()));
        tensor.pin();
        tensor.close();
    }

    private void unpin(Pinned one) {
        model.freeing(one.memory());
        one.tensor().unpin();
    }

    private void allocateInScope(int size) {
        if (scope == null) {
            scope = arena.scope(SCOPE_BLOCK_BYTE_SIZE);
        }
        Tensor tensor = scope.allocate(ElementType.UINT8, Shape.of(size));
        model.allocatedInScope(tensor.memory(), tensor.slab().memory());
        inScope.add(tensor);
    }

    private void endScope() {
        if (scope != null) {
            inScope.forEach(tensor -> model.freeing(tensor.memory()));
            inScope.clear();
            scope.close();
            scope = null;
        }
    }
}
