package dev.verbena.onnxruntime;

import java.time.Duration;
import java.util.function.Function;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.DynamicTensorReceiver;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.TensorReceiver;

/**
 * Where a process has one tensor from: slots of a known shape, or whatever comes.
 *
 * <p><b>Owner:</b> its process's end. <b>Threading:</b> confined to its owner.
 */
record Inlet(CrossingTensor tensor, Function<Duration, Tensor> polling, AutoCloseable receiver) {
    static Inlet of(CrossingTensor tensor, String edge, RdmaDevice device, TensorArena arena, int depth) {
        if (tensor.shape().isPresent()) {
            TensorReceiver placed = device.receiver(edge, arena, tensor.type(), tensor.shape().get(), depth);
            return new Inlet(tensor, placed::poll, placed);
        }
        DynamicTensorReceiver read = device.dynamicReceiver(edge, arena, depth);
        return new Inlet(tensor, read::poll, read);
    }

    /** The next, which the caller closes; null if it does not come in time. */
    Tensor poll(Duration timeout) {
        return polling.apply(timeout);
    }
}
