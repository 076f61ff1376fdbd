package dev.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;

/** One thread that carries out a list of steps on an arena, against the model that all threads share. */
final class ArenaActor implements Callable<Void> {
    /** What a thread may do next. */
    enum Kind {
        ALLOCATE, FREE,
        /** Gives a tensor to whichever thread takes it over. */
        HAND_OVER,
        /** Frees a tensor that another thread allocated. */
        FREE_FOREIGN,
        /** Pins a tensor and closes it: it stays. */
        CLOSE_PINNED,
        /** Frees one of those by unpinning it. */
        UNPIN
    }

    /** {@code size} is for ALLOCATE, {@code choice} picks one tensor for the others. */
    record Step(Kind kind, int size, int choice) {
        @Override
        public String toString() {
            return kind + (kind == Kind.ALLOCATE ? " " + size : " #" + choice);
        }
    }

    /** A closed tensor does not give its memory any more, so that is kept along. */
    private record Pinned(Tensor tensor, MemorySegment memory) {}

    private final TensorArena arena;
    private final ArenaModel model;
    private final Queue<Tensor> handedOver;
    private final List<Step> steps;
    private final List<Tensor> live = new ArrayList<>();
    private final List<Pinned> pinned = new ArrayList<>();

    ArenaActor(TensorArena arena, ArenaModel model, Queue<Tensor> handedOver, List<Step> steps) {
        this.arena = arena;
        this.model = model;
        this.handedOver = handedOver;
        this.steps = steps;
    }

    @Override
    public Void call() {
        for (Step step : steps) {
            carryOut(step);
        }
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
                Tensor tensor = handedOver.poll();
                if (tensor != null) {
                    free(tensor);
                }
            }
            case CLOSE_PINNED -> {
                if (!live.isEmpty()) {
                    Tensor tensor = live.remove(step.choice() % live.size());
                    pinned.add(new Pinned(tensor, tensor.memory()));
                    tensor.pin();
                    tensor.close();
                }
            }
            case UNPIN -> {
                if (!pinned.isEmpty()) {
                    unpin(pinned.remove(step.choice() % pinned.size()));
                }
            }
        }
    }

    private void allocate(int size) {
        Tensor tensor = arena.tryAllocate(ElementType.UINT8, Shape.of(size));
        if (tensor != null) {
            model.allocated(tensor);
            live.add(tensor);
        }
    }

    private void free(Tensor tensor) {
        model.freeing(tensor, tensor.memory());
        tensor.close();
    }

    private void unpin(Pinned one) {
        model.freeing(one.tensor(), one.memory());
        one.tensor().unpin();
    }
}
