package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** A device reads tensors of any shape where their records say that they are. */
@Timeout(300)
class DynamicAllocationOnDevice {
    private static final String EDGE = "edge";

    @Test
    void tensorsOfAnyShapeArriveWhole() {
        NetworkOptions network = NetworkOptions.ofEnvironment(System.getenv());
        String device = System.getenv("VERBENA_TEST_DEVICE");
        RdmaDeviceOptions options = RdmaDeviceOptions.defaults().withFabric("verbs")
                .withNetwork(device == null ? network : network.withDevice(device)).withQueueDepth(16);
        List<Shape> shapes = List.of(Shape.of(), Shape.of(7), Shape.of(0, 3), Shape.of(2, 2, 2, 2, 2, 2, 2, 2),
                Shape.of(1000, 41), Shape.of(1, 1), Shape.of(3_000_001));
        try (DevicePair pair = new DevicePair(options)) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 2);
            DynamicTensorSender sender = pair.channel().dynamicSender(EDGE, DevicePair.TIMEOUT);
            AtomicInteger read = new AtomicInteger();
            for (int i = 0; i < 3 * shapes.size(); i++) {
                Shape shape = shapes.get(i % shapes.size());
                Tensor tensor = DynamicAllocationTest.tensor(pair.senderArena, ElementType.INT8, shape, i);
                DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, failure -> {
                    assertNull(failure);
                    read.incrementAndGet();
                }) == SendResult.SENT);
                tensor.close();
                Tensor arrived = DevicePair.await(pair.receiver, receiver::poll);
                DynamicAllocationTest.assertIs(arrived, ElementType.INT8, shape, i);
                arrived.close();
            }
            sender.close();
            assertEquals(3 * shapes.size(), read.get());
            assertEquals(0, pair.senderArena.statistics().liveCount());
            assertEquals(0, pair.sender.statistics().copies());
            receiver.close();
            pair.closeArenas();
        }
    }
}
