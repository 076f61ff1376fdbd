package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** Over a device tensors are exchanged by name and step, small and large, asked for before and after they are sent. */
@Timeout(300)
class TensorExchangeOnDevice {
    private static final int STEPS = 30;

    private static DevicePair pair() {
        NetworkOptions network = NetworkOptions.ofEnvironment(System.getenv());
        String device = System.getenv("VERBENA_TEST_DEVICE");
        return new DevicePair(RdmaDeviceOptions.defaults().withFabric("verbs")
                .withNetwork(device == null ? network : network.withDevice(device)).withQueueDepth(16));
    }

    @Test
    void whatIsAskedForComesWhole() {
        List<Shape> shapes = List.of(Shape.of(), Shape.of(7), Shape.of(0, 3), Shape.of(6_000), Shape.of(1000, 41),
                Shape.of(3_000_001));
        try (DevicePair pair = pair()) {
            ExchangeReceiver receiver = pair.receiver.exchangeReceiver("edge", pair.receiverArena, 4);
            ExchangeSender sender = pair.channel().exchangeSender("edge", ExchangeOptions.defaults().withChecksums(),
                    DevicePair.TIMEOUT);
            AtomicLong ended = new AtomicLong();
            List<ExchangeRequest> requests = new ArrayList<>();
            for (int step = 0; step < STEPS; step++) {
                if (step % 2 == 0) {
                    requests.add(receiver.receive("x", step));
                }
                try (Tensor tensor = DynamicAllocationTest.tensor(pair.senderArena, ElementType.INT8,
                        shapes.get(step % shapes.size()), step)) {
                    assertEquals(SendResult.SENT, sender.offer("x", step, tensor, failure -> {
                        assertNull(failure);
                        ended.incrementAndGet();
                    }));
                }
                if (step % 2 != 0) {
                    requests.add(receiver.receive("x", step));
                }
            }
            for (int step = 0; step < STEPS; step++) {
                assertTrue(requests.get(step).await(DevicePair.TIMEOUT), "step " + step);
                try (Tensor tensor = requests.get(step).take()) {
                    DynamicAllocationTest.assertIs(tensor, ElementType.INT8, shapes.get(step % shapes.size()), step);
                }
            }
            DevicePair.awaitTrue(pair.sender, () -> ended.get() == STEPS);
            assertTrue(sender.statistics().eager() > 0 && sender.statistics().rendezvous() >= 10,
                    sender.statistics()::toString);
            sender.close();
            receiver.close();
            pair.closeArenas();
        }
    }

    /** A large one in chunks; one that nobody asks for goes back. */
    @Test
    void chunksLandInOrderAndWhatIsWithdrawnComesBack() {
        try (DevicePair pair = pair()) {
            ExchangeReceiver receiver = pair.receiver.exchangeReceiver("edge", pair.receiverArena, 4);
            ExchangeSender sender = pair.channel().exchangeSender("edge", ExchangeOptions.defaults(),
                    DevicePair.TIMEOUT);
            List<String> told = Collections.synchronizedList(new ArrayList<>());
            List<Long> offsets = new ArrayList<>();
            Shape shape = Shape.of(8 << 20);
            try (Tensor tensor = DynamicAllocationTest.tensor(pair.senderArena, ElementType.INT8, shape, 1)) {
                sender.offer("kept", 1, tensor, failure -> told.add(String.valueOf(failure)));
                sender.offer("withdrawn", 1, tensor, failure -> told.add(failure.getMessage()));
            }
            sender.withdraw("withdrawn", 1);
            DevicePair.awaitTrue(pair.sender, () -> told.size() == 1);
            assertTrue(told.getFirst().contains("was withdrawn"), told::toString);
            ExchangeRequest request = receiver.receive("kept", 1,
                    (type, whole, byteOffset, chunk) -> offsets.add(byteOffset));
            assertTrue(request.await(DevicePair.TIMEOUT));
            try (Tensor tensor = request.take()) {
                DynamicAllocationTest.assertIs(tensor, ElementType.INT8, shape, 1);
            }
            DevicePair.awaitTrue(pair.sender, () -> told.size() == 2);
            assertEquals("null", told.getLast());
            assertTrue(offsets.size() >= 8, offsets::toString);
            assertArrayEquals(offsets.stream().sorted().toArray(), offsets.toArray());
            assertEquals(0, pair.senderArena.statistics().liveCount());
            sender.close();
            receiver.close();
            pair.closeArenas();
        }
    }
}
