package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorView;

/** A large tensor goes over several queue pairs at the same time, whichever threads drive them, and is told of when it is whole. */
class StripedTransferTest {
    private static final String EDGE = "edge";
    private static final int QUEUE_PAIRS = 4;
    /** Of the connection, behind the RPC's. */
    private static final List<Integer> DATA = List.of(1, 2, 3, 4);
    private static final int ROUNDS = 40;
    private static final Striping STRIPING = Striping.over(QUEUE_PAIRS).withStripeByteSizeMin(4 << 10);
    /** In one stripe, in two, in four that are not alike, in four of many messages where these are small. */
    private static final List<Shape> SHAPES = List.of(Shape.of(1_000), Shape.of(8 << 10), Shape.of(17_001),
            Shape.of(3, 100_003));
    private static final long SMALL_MESSAGE = 16 << 10;

    private static Stream<Arguments> everyWay() {
        return Stream.of(options(1).withProgress(Progress.callers()), options(1), options(3))
                .flatMap(options -> Stream.of(Long.MAX_VALUE, SMALL_MESSAGE).map(max -> Arguments.of(options, max)));
    }

    private static RdmaDeviceOptions options(int completionQueues) {
        return DevicePair.options(ArrivalMode.AUTO).withCompletionQueues(completionQueues)
                .withQueuePairsPerPeer(QUEUE_PAIRS).withStriping(STRIPING);
    }

    private static DevicePair pair(RdmaDeviceOptions options, long messageByteSizeMax, PostTally[] tallies) {
        RdmaDevice[] devices = new RdmaDevice[2];
        for (int i = 0; i < devices.length; i++) {
            var shm = Fabrics.select("shm", options.network()).open(options.network());
            tallies[i] = new PostTally(messageByteSizeMax == Long.MAX_VALUE ? shm
                    : new SmallMessageFabric(shm, messageByteSizeMax));
            devices[i] = RdmaDevice.create(options.withName("d" + i), tallies[i].fabric());
        }
        return new DevicePair(devices[0], devices[1]);
    }

    @ParameterizedTest
    @MethodSource("everyWay")
    void whatIsReadComesWhole(RdmaDeviceOptions options, long messageByteSizeMax) {
        PostTally[] tallies = new PostTally[2];
        try (DevicePair pair = pair(options, messageByteSizeMax, tallies); Driver driver = new Driver(pair.receiver)) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 3);
            DynamicTensorSender sender = pair.channel().dynamicSender(EDGE, DevicePair.TIMEOUT);
            AtomicInteger read = new AtomicInteger();
            int offered = 0;
            for (int polled = 0; polled < ROUNDS; polled++) {
                for (; offered < Math.min(polled + 3, ROUNDS); offered++) {
                    Tensor tensor = tensor(pair, offered);
                    DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, failure -> {
                        assertNull(failure);
                        read.incrementAndGet();
                    }) == SendResult.SENT);
                    tensor.close();
                }
                assertWhole(DevicePair.await(pair.receiver, receiver::poll), polled);
            }
            DevicePair.awaitTrue(pair.sender, () -> read.get() == ROUNDS);
            assertSpread(tallies[1]);
            assertSaid(pair.receiver);
            sender.close();
            receiver.close();
            pair.closeArenas();
            assertFalse(driver.hasEnded());
        }
    }

    private static Stream<Arguments> everyArrival() {
        return everyWay().flatMap(way -> Stream.of(ArrivalMode.TAIL, ArrivalMode.IMMEDIATE).map(
                mode -> Arguments.of(((RdmaDeviceOptions) way.get()[0]).withArrivalMode(mode), way.get()[1])));
    }

    /** Several under way at a time, each shape by a sender of its own. */
    @ParameterizedTest
    @MethodSource("everyArrival")
    void whatIsPlacedComesWholeAndInOrder(RdmaDeviceOptions options, long messageByteSizeMax) {
        PostTally[] tallies = new PostTally[2];
        try (DevicePair pair = pair(options, messageByteSizeMax, tallies); Driver driver = new Driver(pair.receiver)) {
            for (Shape shape : SHAPES) {
                TensorReceiver receiver = pair.receiver.receiver(EDGE, pair.receiverArena, ElementType.INT8, shape, 3);
                TensorSender sender = pair.channel().sender(EDGE, ElementType.INT8, shape, DevicePair.TIMEOUT);
                List<Integer> ended = Collections.synchronizedList(new ArrayList<>());
                int offered = 0;
                for (int polled = 0; polled < ROUNDS; polled++) {
                    for (; offered < Math.min(polled + 3, ROUNDS); offered++) {
                        int round = offered;
                        Tensor tensor = DynamicAllocationTest.tensor(pair.senderArena, ElementType.INT8, shape, round);
                        DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, failure -> {
                            assertNull(failure);
                            ended.add(round);
                        }) == SendResult.SENT);
                        tensor.close();
                    }
                    try (Tensor arrived = DevicePair.await(pair.receiver, receiver::poll)) {
                        DynamicAllocationTest.assertIs(arrived, ElementType.INT8, shape, polled);
                    }
                }
                DevicePair.awaitTrue(pair.sender, () -> ended.size() == ROUNDS);
                assertEquals(IntStream.range(0, ROUNDS).boxed().toList(), ended);
                if (shape.equals(SHAPES.getLast())) {
                    assertSpread(tallies[0]);
                    assertSaid(pair.sender);
                    assertSaid(pair.receiver);
                }
                sender.close();
                receiver.close();
            }
            pair.closeArenas();
            assertFalse(driver.hasEnded());
        }
    }

    /** A view's runs are cut where its stripes are; and what is computed where it is received has nothing of it but words. */
    @Test
    void viewsAndPlacedTensorsComeInTheirTurn() {
        Shape shape = Shape.of(4, 9_001);
        try (DevicePair pair = new DevicePair(options(3))) {
            TensorReceiver receiver = pair.receiver.receiver(EDGE, pair.receiverArena, ElementType.INT8, shape, 2);
            TensorSender sender = pair.channel().sender(EDGE, ElementType.INT8, shape, DevicePair.TIMEOUT);
            for (int round = 0; round < ROUNDS; round++) {
                int seed = round;
                if (round % 2 == 0) {
                    try (Tensor wide = DynamicAllocationTest.tensor(pair.senderArena, ElementType.INT8,
                            Shape.of(4, 10_000), seed);
                            TensorView view = TensorView.of(wide, wide.layout().narrowed(1, 999, 9_001))) {
                        DevicePair.awaitTrue(pair.sender, () -> sender.offer(view, null) == SendResult.SENT);
                        try (Tensor arrived = DevicePair.await(pair.receiver, receiver::poll);
                                Tensor dense = pair.senderArena.allocate(ElementType.INT8, shape)) {
                            view.copyTo(dense);
                            assertEquals(-1, dense.memory().mismatch(arrived.memory()));
                        }
                    }
                } else {
                    try (Tensor placed = DevicePair.await(pair.sender, () -> sender.place(pair.senderArena));
                            Tensor content = DynamicAllocationTest.tensor(pair.senderArena, ElementType.INT8, shape,
                                    seed)) {
                        placed.memory().copyFrom(content.memory());
                        assertEquals(SendResult.SENT, sender.offer(placed, null));
                    }
                    try (Tensor arrived = DevicePair.await(pair.receiver, receiver::poll)) {
                        DynamicAllocationTest.assertIs(arrived, ElementType.INT8, shape, seed);
                    }
                }
            }
            sender.close();
            receiver.close();
            pair.closeArenas();
        }
    }

    /** Of a stripe that takes three writes and one for its word only the last is signaled, and all go with one doorbell. */
    @Test
    void aStripeIsOneList() {
        PostTally[] tallies = new PostTally[2];
        Shape shape = Shape.of(4, 3 * SMALL_MESSAGE);
        try (DevicePair pair = pair(options(1).withProgress(Progress.callers()), SMALL_MESSAGE, tallies);
                Driver driver = new Driver(pair.receiver)) {
            TensorReceiver receiver = pair.receiver.receiver(EDGE, pair.receiverArena, ElementType.INT8, shape, 2);
            TensorSender sender = pair.channel().sender(EDGE, ElementType.INT8, shape, DevicePair.TIMEOUT);
            PostTally.Counts counts = tallies[0].of(2);
            for (int round = 1; round <= ROUNDS; round++) {
                try (Tensor tensor = DynamicAllocationTest.tensor(pair.senderArena, ElementType.INT8, shape, round)) {
                    sender.send(tensor, DevicePair.TIMEOUT);
                }
                try (Tensor arrived = DevicePair.await(pair.receiver, receiver::poll)) {
                    DynamicAllocationTest.assertIs(arrived, ElementType.INT8, shape, round);
                }
                assertEquals("doorbells=" + round + " requests=" + 4 * round + " unsignaled=" + 3 * round + " bytes="
                        + round * (shape.elementCount() / 4 + Long.BYTES), counts.toString());
            }
            sender.close();
            receiver.close();
            pair.closeArenas();
            assertFalse(driver.hasEnded());
        }
    }

    /** And is handed on in order, chunk by chunk, whichever lands first. */
    @ParameterizedTest
    @MethodSource("everyWay")
    void whatIsExchangedComesWhole(RdmaDeviceOptions options, long messageByteSizeMax) {
        PostTally[] tallies = new PostTally[2];
        try (DevicePair pair = pair(options, messageByteSizeMax, tallies); Driver driver = new Driver(pair.receiver)) {
            ExchangeReceiver receiver = pair.receiver.exchangeReceiver(EDGE, pair.receiverArena, 3);
            ExchangeSender sender = pair.channel().exchangeSender(EDGE, ExchangeOptions.defaults().withChecksums(),
                    DevicePair.TIMEOUT);
            for (int round = 0; round < ROUNDS; round++) {
                List<Long> offsets = new ArrayList<>();
                List<Long> sizes = new ArrayList<>();
                ExchangeRequest request = receiver.receive("x", round, (type, shape, byteOffset, chunk) -> {
                    offsets.add(byteOffset);
                    sizes.add(chunk.byteSize());
                });
                try (Tensor tensor = tensor(pair, round)) {
                    sender.send("x", round, tensor, DevicePair.TIMEOUT);
                }
                assertTrue(request.await(DevicePair.TIMEOUT));
                assertWhole(request.take(), round);
                long landed = 0;
                for (int i = 0; i < offsets.size(); i++) {
                    assertEquals(landed, offsets.get(i), "chunk " + i + " of round " + round);
                    landed += sizes.get(i);
                }
                assertEquals(shape(round).elementCount(), landed);
            }
            assertSpread(tallies[1]);
            assertSaid(pair.receiver);
            sender.close();
            receiver.close();
            pair.closeArenas();
            assertFalse(driver.hasEnded());
        }
    }

    /** Whichever stripe it meets: each offer ends once, and nothing stays pinned. */
    @Test
    void aPeerThatGivesUpInTheMidstIsHeardOfOnce() {
        Shape shape = SHAPES.getLast();
        for (int round = 0; round < 20; round++) {
            try (DevicePair pair = new DevicePair(options(3))) {
                TensorReceiver receiver = pair.receiver.receiver(EDGE, pair.receiverArena, ElementType.INT8, shape, 4);
                TensorSender sender = pair.channel().sender(EDGE, ElementType.INT8, shape, DevicePair.TIMEOUT);
                List<Integer> ends = Collections.synchronizedList(new ArrayList<>());
                int offered = 0;
                try {
                    for (; offered < 4; offered++) {
                        int number = offered;
                        try (Tensor tensor = tensor(pair, SHAPES.size() - 1)) {
                            assertEquals(SendResult.SENT, sender.offer(tensor, failure -> ends.add(number)));
                        }
                        if (offered == round % 4) {
                            pair.receiver.abort("enough");
                        }
                    }
                } catch (TransferException e) {
                    assertTrue(e.getMessage().contains("enough"), e.getMessage());
                }
                int count = offered;
                DevicePair.awaitTrue(pair.sender, () -> ends.size() >= count);
                assertEquals(IntStream.range(0, count).boxed().toList(), ends.stream().sorted().toList());
                DevicePair.awaitTrue(pair.sender, () -> pair.senderArena.statistics().liveCount() == 0);
                sender.close();
                receiver.close();
                pair.closeArenas();
            }
        }
    }

    @Test
    void theFirstChunksOfATensorAreOneList() {
        PostTally[] tallies = new PostTally[2];
        try (DevicePair pair = pair(options(1).withStriping(Striping.none()), Long.MAX_VALUE, tallies)) {
            ExchangeReceiver receiver = pair.receiver.exchangeReceiver(EDGE, pair.receiverArena, 3);
            ExchangeSender sender = pair.channel().exchangeSender(EDGE, ExchangeOptions.defaults(),
                    DevicePair.TIMEOUT);
            try (Tensor tensor = pair.floats(1 << 20, 1)) {
                sender.offer("x", 1, tensor, null);
            }
            receiver.receive("x", 1, DevicePair.TIMEOUT).close();
            assertEquals(2, tallies[1].of(1).longest.get(), tallies[1].of(1)::toString);
            sender.close();
            receiver.close();
            pair.closeArenas();
        }
    }

    /** Whoever asks for them from afar decides; here the sender does not stripe, and the receiver has more queue pairs than there are. */
    @Test
    void aConnectionMayHaveFewerQueuePairs() {
        RdmaDeviceOptions options = options(1);
        try (DevicePair pair = new DevicePair(
                RdmaDevice.create(options.withName("sender").withQueuePairsPerPeer(1).withStriping(Striping.none())),
                RdmaDevice.create(options.withName("receiver")))) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 1);
            DynamicTensorSender sender = pair.channel().dynamicSender(EDGE, DevicePair.TIMEOUT);
            try (Tensor tensor = tensor(pair, 3)) {
                sender.send(tensor, DevicePair.TIMEOUT);
            }
            assertWhole(DevicePair.await(pair.receiver, receiver::poll), 3);
            assertTrue(!choice(pair.receiver).contains("stripes"), choice(pair.receiver));
            sender.close();
            receiver.close();
            pair.closeArenas();
        }
    }

    /** Where callers drive there must be one at the receiver while the sender waits for it. */
    private static final class Driver implements AutoCloseable {
        private final Thread thread;
        private volatile boolean isOver;

        Driver(RdmaDevice device) {
            thread = Thread.ofPlatform().start(() -> {
                while (!isOver) {
                    device.awaitActivity(device.activity(), 1_000_000);
                }
            });
        }

        boolean hasEnded() {
            return !thread.isAlive();
        }

        @Override
        public void close() {
            isOver = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static Shape shape(int round) {
        return SHAPES.get(round % SHAPES.size());
    }

    private static Tensor tensor(DevicePair pair, int round) {
        return DynamicAllocationTest.tensor(pair.senderArena, ElementType.INT8, shape(round), round);
    }

    private static void assertWhole(Tensor arrived, int round) {
        try (arrived) {
            DynamicAllocationTest.assertIs(arrived, ElementType.INT8, shape(round), round);
        }
    }

    /** Each queue pair has had its share of the large ones, or half of it. */
    private static void assertSpread(PostTally tally) {
        long least = ROUNDS / SHAPES.size() * SHAPES.getLast().elementCount() / QUEUE_PAIRS / 2;
        for (int queuePair : DATA) {
            assertTrue(tally.of(queuePair).bytes.get() >= least, () -> queuePair + ": " + tally.of(queuePair));
        }
    }

    private static void assertSaid(RdmaDevice device) {
        assertTrue(choice(device).endsWith("; in up to 4 stripes"), () -> choice(device));
    }

    private static String choice(RdmaDevice device) {
        return device.transferStatistics().getFirst().choice();
    }
}
