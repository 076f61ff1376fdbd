package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

/** One thread of one iteration: carries out a list of steps on a scope, against the model that all threads share. */
final class ScopeActor implements Callable<Void> {
    /** What a thread may do next. */
    enum Kind {
        TENSOR,
        /** With headroom, an alignment, zeroed. */
        TENSOR_WITH_OPTIONS, SEGMENT,
        /** Closes a tensor before the iteration's end. */
        CLOSE,
        PIN, UNPIN
    }

    /** {@code size} is for what allocates, {@code shift} says how a segment is aligned, {@code choice} picks a tensor. */
    record Step(Kind kind, int size, int shift, int choice) {
        @Override
        public String toString() {
            return switch (kind) {
                case TENSOR -> kind + " " + size;
                case TENSOR_WITH_OPTIONS -> kind + " " + size + " " + options();
                case SEGMENT -> kind + " " + size + " aligned " + (1L << shift);
                default -> kind + " #" + choice;
            };
        }

        TensorOptions options() {
            return new TensorOptions(1L << shift, choice % 40, choice / 2 % 2 == 0);
        }

        /** Whether it is for a method that returns null instead of throwing. */
        boolean isTry() {
            return choice % 3 == 0;
        }
    }

    private final IterationScope scope;
    private final ScopeModel model;
    private final List<Step> steps;
    private final boolean isShort;
    /** Of all that was allocated. */
    private final List<MemorySegment> memories = new ArrayList<>();
    private final List<Tensor> tensors = new ArrayList<>();
    private final List<Tensor> open = new ArrayList<>();
    private final List<Tensor> pinned = new ArrayList<>();

    /** @param isShort whether the arena may be out of memory */
    ScopeActor(IterationScope scope, ScopeModel model, List<Step> steps, boolean isShort) {
        this.isShort = isShort;
        this.scope = scope;
        this.model = model;
        this.steps = steps;
    }

    @Override
    public Void call() {
        for (Step step : steps) {
            try {
                carryOut(step);
            } catch (OutOfArenaMemoryException refused) {
                if (!isShort) {
                    throw refused;
                }
                checkContents();
            }
        }
        return null;
    }

    private void carryOut(Step step) {
        switch (step.kind()) {
            case TENSOR -> {
                Shape shape = Shape.of(step.size());
                Tensor tensor = step.isTry() ? orRefused(scope.tryAllocate(ElementType.UINT8, shape))
                        : scope.allocate(ElementType.UINT8, shape);
                allocated(tensor.memory(), step.size(), 64);
                add(tensor);
            }
            case TENSOR_WITH_OPTIONS -> {
                Shape shape = Shape.of(step.size());
                TensorOptions options = step.options();
                Tensor tensor = step.isTry() ? orRefused(scope.tryAllocate(ElementType.UINT8, shape, options))
                        : scope.allocate(ElementType.UINT8, shape, options);
                assertEquals(0, tensor.address() % Math.max(64, options.alignment()));
                MemorySegment whole = tensor.memoryWithHeadroom();
                assertEquals(tensor.address() - options.headroomByteSize(), whole.address());
                assertTrue(!options.zeroed() || IntStream.range(0, (int) whole.byteSize())
                        .allMatch(i -> whole.get(ValueLayout.JAVA_BYTE, i) == 0), "zeroed");
                allocated(whole, options.headroomByteSize() + step.size(), 1);
                add(tensor);
            }
            case SEGMENT -> {
                long alignment = 1L << step.shift();
                allocated(step.isTry() ? orRefused(scope.tryAllocate(step.size(), alignment))
                        : scope.allocate(step.size(), alignment), step.size(), alignment);
            }
            case CLOSE -> {
                if (!open.isEmpty()) {
                    Tensor closed = open.remove(step.choice() % open.size());
                    closed.close();
                    assertThrows(IllegalStateException.class, closed::memory);
                }
            }
            case PIN -> {
                if (!open.isEmpty()) {
                    Tensor tensor = open.get(step.choice() % open.size());
                    tensor.pin();
                    pinned.add(tensor);
                    model.pinned(1);
                }
            }
            case UNPIN -> {
                if (!pinned.isEmpty()) {
                    pinned.remove(step.choice() % pinned.size()).unpin();
                    model.pinned(-1);
                }
            }
        }
    }

    private static <T> T orRefused(T allocated) {
        if (allocated == null) {
            throw new OutOfArenaMemoryException("null");
        }
        return allocated;
    }

    private void add(Tensor tensor) {
        tensors.add(tensor);
        open.add(tensor);
    }

    private void allocated(MemorySegment memory, long byteSize, long alignment) {
        model.allocated(memory, byteSize, alignment);
        memories.add(memory);
    }

    /** Until the iteration's end everything is as it was written, closed or not. */
    void checkContents() {
        memories.forEach(model::check);
        open.forEach(tensor -> assertEquals(tensor.byteSize(), tensor.memory().byteSize()));
    }

    void unpinAll() {
        pinned.forEach(Tensor::unpin);
        model.pinned(-pinned.size());
        pinned.clear();
    }

    /** After the iteration's end nothing is of use. */
    void checkDead() {
        for (MemorySegment memory : memories) {
            assertFalse(memory.scope().isAlive());
            if (memory.byteSize() > 0) {
                assertThrows(IllegalStateException.class, () -> memory.get(ValueLayout.JAVA_BYTE, 0));
            }
        }
        for (Tensor tensor : tensors) {
            assertFalse(tensor.isOpen());
            assertThrows(IllegalStateException.class, tensor::memory);
            assertThrows(IllegalStateException.class, tensor::pin);
            assertThrows(IllegalStateException.class, tensor::close);
        }
    }
}
