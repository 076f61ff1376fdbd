package dev.verbena.testing;

import java.time.Duration;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TensorSender;
import dev.verbena.transfer.TransferException;

/**
 * A process that sends tensors of bytes to the parent's receiver {@code large} until that fails, each filled with its number: arguments are
 * the parent's port and the tensors' byteSize.
 */
final class SendingPeer {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private SendingPeer() {}

    public static void main(String[] arguments) {
        long byteSize = Long.parseLong(arguments[1]);
        RdmaDevice device = RdmaDevice.create(RdmaDeviceOptions.defaults().withFabric("shm").withName("worker:1"));
        TensorArena arena = TensorArena.create(device.slabSource(), 2 * byteSize, 2 * byteSize);
        TensorSender sender = device.channel(new Endpoint("127.0.0.1", Integer.parseInt(arguments[0])), 0)
                .sender("large", ElementType.UINT8, Shape.of(byteSize), TIMEOUT);
        Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(byteSize));
        try {
            for (byte value = 1;; value++) {
                tensor.memory().fill(value);
                sender.send(tensor, TIMEOUT);
            }
        } catch (TransferException e) {
            boolean isTold = e.getMessage().contains("no answer for peerTimeoutMs");
            sender.close();
            device.close();
            System.exit(isTold ? StreamingPeer.TOLD : 1);
        }
    }
}
