package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** Over a device too large tensors go over several queue pairs, on two completion queues, in each way that there is. */
@Timeout(300)
class StripedTransferOnDevice {
    private static final String EDGE = "edge";
    private static final int ROUNDS = 12;
    /** In one stripe, in two, in three that are not alike. */
    private static final Shape[] SHAPES = {Shape.of(1_000), Shape.of(200_000), Shape.of(3, 1_000_003)};

    private static DevicePair pair() {
        NetworkOptions network = NetworkOptions.ofEnvironment(System.getenv());
        String device = System.getenv("VERBENA_TEST_DEVICE");
        return new DevicePair(RdmaDeviceOptions.defaults().withFabric("verbs")
                .withNetwork(device == null ? network : network.withDevice(device)).withQueueDepth(16)
                .withCompletionQueues(2).withQueuePairsPerPeer(4)
                .withStriping(Striping.over(3).withStripeByteSizeMin(100_000)));
    }

    /** As soon as all stripes are there, and not before, whatever way the device lets arrivals be seen. */
    @Test
    void whatIsPlacedComesWhole() {
        try (DevicePair pair = pair()) {
            for (Shape shape : SHAPES) {
                TensorReceiver receiver = pair.receiver.receiver(EDGE, pair.receiverArena, ElementType.INT8, shape, 2);
                TensorSender sender = pair.sender.channel(pair.receiver.endpoint(), 2).sender(EDGE, ElementType.INT8,
                        shape, DevicePair.TIMEOUT);
                AtomicInteger ended = new AtomicInteger();
                int offered = 0;
                for (int polled = 0; polled < ROUNDS; polled++) {
                    for (; offered < Math.min(polled + 2, ROUNDS); offered++) {
                        offer(pair, shape, offered, tensor -> sender.offer(tensor, failure -> {
                            assertNull(failure);
                            ended.incrementAndGet();
                        }));
                    }
                    try (Tensor arrived = DevicePair.await(pair.receiver, receiver::poll)) {
                        DynamicAllocationTest.assertIs(arrived, ElementType.INT8, shape, polled);
                    }
                }
                DevicePair.awaitTrue(pair.sender, () -> ended.get() == ROUNDS);
                assertTrue(shape != SHAPES[2]
                        || pair.sender.transferStatistics().getFirst().choice().endsWith("; in up to 3 stripes"));
                sender.close();
                receiver.close();
            }
            pair.closeArenas();
        }
    }

    @Test
    void whatIsReadComesWhole() {
        try (DevicePair pair = pair()) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 2);
            DynamicTensorSender sender = pair.channel().dynamicSender(EDGE, DevicePair.TIMEOUT);
            for (int round = 0; round < ROUNDS; round++) {
                offer(pair, SHAPES[round % 3], round, tensor -> sender.offer(tensor, null));
                try (Tensor arrived = DevicePair.await(pair.receiver, receiver::poll)) {
                    DynamicAllocationTest.assertIs(arrived, ElementType.INT8, SHAPES[round % 3], round);
                }
            }
            sender.close();
            receiver.close();
            assertEquals(0, pair.senderArena.statistics().liveCount());
            pair.closeArenas();
        }
    }

    @Test
    void whatIsExchangedComesWhole() {
        try (DevicePair pair = pair()) {
            ExchangeReceiver receiver = pair.receiver.exchangeReceiver(EDGE, pair.receiverArena, 4);
            ExchangeSender sender = pair.channel().exchangeSender(EDGE, ExchangeOptions.defaults().withChecksums(),
                    DevicePair.TIMEOUT);
            for (int round = 0; round < ROUNDS; round++) {
                int step = round;
                offer(pair, SHAPES[round % 3], round, tensor -> sender.offer("x", step, tensor, null));
                try (Tensor arrived = receiver.receive("x", round, DevicePair.TIMEOUT)) {
                    DynamicAllocationTest.assertIs(arrived, ElementType.INT8, SHAPES[round % 3], round);
                }
            }
            sender.close();
            receiver.close();
            pair.closeArenas();
        }
    }

    private interface Offer {
        SendResult of(Tensor tensor);
    }

    private static void offer(DevicePair pair, Shape shape, int seed, Offer offer) {
        try (Tensor tensor = DynamicAllocationTest.tensor(pair.senderArena, ElementType.INT8, shape, seed)) {
            DevicePair.awaitTrue(pair.sender, () -> offer.of(tensor) == SendResult.SENT);
        }
    }
}
