package dev.verbena.onnxruntime;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.DynamicTensorSender;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TensorSender;

/**
 * Where a process sends one tensor to: every consumer of it.
 *
 * <p><b>Owner:</b> its process's end. <b>Threading:</b> confined to its owner.
 */
final class Outlet implements AutoCloseable {
    private final CrossingTensor tensor;
    private final TensorArena arena;
    private final List<TensorSender> placing = new ArrayList<>();
    private final List<DynamicTensorSender> telling = new ArrayList<>();
    /** Whether what was allocated last lies in the consumer's slot. */
    private boolean isInSlot;
    private long placed;

    Outlet(CrossingTensor tensor, TensorArena arena) {
        this.tensor = tensor;
        this.arena = arena;
    }

    void add(TensorSender sender) {
        placing.add(sender);
    }

    void add(DynamicTensorSender sender) {
        telling.add(sender);
    }

    CrossingTensor tensor() {
        return tensor;
    }

    /** Whether every consumer has a slot free. */
    boolean isReady() {
        return placing.stream().allMatch(TensorSender::isReady)
                && telling.stream().allMatch(DynamicTensorSender::isReady);
    }

    /** Memory to compute it in, which nobody copies: the consumer's own slot, if it has only one and the fabric maps that. */
    Tensor allocate(Shape shape) {
        Tensor slot = placing.size() == 1 && placing.getFirst().placesTensors() ? placing.getFirst().place(arena)
                : null;
        isInSlot = slot != null;
        return isInSlot ? slot : arena.allocate(tensor.type(), shape);
    }

    /** Tensors that were sent and had been computed in the consumer's slot. */
    long placed() {
        return placed;
    }

    /** Of an outlet that is {@linkplain #isReady ready}. */
    void offer(Tensor computed) {
        placing.forEach(sender -> requireSent(sender.offer(computed, null)));
        telling.forEach(sender -> requireSent(sender.offer(computed, null)));
        placed += isInSlot ? 1 : 0;
        isInSlot = false;
    }

    private void requireSent(SendResult result) {
        if (result != SendResult.SENT) {
            throw new IllegalStateException(tensor + " was ready to be sent, and is " + result);
        }
    }

    @Override
    public void close() {
        placing.forEach(TensorSender::close);
        telling.forEach(DynamicTensorSender::close);
    }
}
