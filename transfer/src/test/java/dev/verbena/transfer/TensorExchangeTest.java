package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;

/** Tensors by name and step, between two devices of this process. */
class TensorExchangeTest {
    private static final String NAME = "exchange";
    private static final int DEPTH = 4;
    private static final Duration SHORT = Duration.ofMillis(20);
    /** More than goes in a message. */
    private static final Shape LARGE = Shape.of(50_000);

    private static Stream<Arguments> everyWay() {
        return Stream.of(ArrivalMode.TAIL, ArrivalMode.IMMEDIATE)
                .flatMap(mode -> Stream.of(Progress.pollers(), Progress.callers())
                        .map(progress -> Arguments.of(mode, progress)));
    }

    /** Both ends of an exchange in one direction. */
    private static final class Ends implements AutoCloseable {
        final DevicePair pair;
        final ExchangeReceiver receiver;
        final ExchangeSender sender;

        Ends(DevicePair pair, ExchangeOptions options) {
            this.pair = pair;
            receiver = pair.receiver.exchangeReceiver(NAME, pair.receiverArena, options.depth());
            sender = connect(pair, NAME, options);
        }

        Ends(ExchangeOptions options) {
            this(new DevicePair(DevicePair.options(ArrivalMode.AUTO).withProgress(Progress.callers())), options);
        }

        Ends() {
            this(ExchangeOptions.defaults().withDepth(DEPTH));
        }

        /** Of bytes that the seed says. */
        Tensor tensor(ElementType type, Shape shape, long seed) {
            Tensor tensor = pair.senderArena.allocate(type, shape);
            tensor.memory().copyFrom(MemorySegment.ofArray(content(tensor.byteSize(), seed)));
            return tensor;
        }

        void send(String name, long step, Shape shape, SendCallback callback) {
            try (Tensor tensor = tensor(ElementType.UINT8, shape, step)) {
                assertEquals(SendResult.SENT, sender.offer(name, step, tensor, callback));
            }
        }

        /** Both devices are driven, whoever has something to do. */
        void await(ExchangeRequest request) {
            DevicePair.awaitTrue(pair.receiver, () -> {
                pair.sender.progress();
                return request.isDone();
            });
        }

        void awaitTold(List<String> told, int count) {
            DevicePair.awaitTrue(pair.receiver, () -> {
                pair.sender.progress();
                pair.receiver.progress();
                return told.size() >= count;
            });
        }

        void assertReceived(String name, long step, Shape shape) {
            ExchangeRequest request = receiver.receive(name, step);
            await(request);
            try (Tensor tensor = request.take()) {
                assertIs(tensor, ElementType.UINT8, shape, step);
            }
        }

        /** Nothing is left in either arena when both are closed. */
        @Override
        public void close() {
            CompletionStage<Void> closing = pair.sender.elsewhere(() -> {
                sender.close();
                return null;
            });
            DevicePair.awaitTrue(pair.receiver, () -> closing.toCompletableFuture().isDone());
            CompletionStage<Void> closingReceiver = pair.receiver.elsewhere(() -> {
                receiver.close();
                return null;
            });
            DevicePair.awaitTrue(pair.sender, () -> closingReceiver.toCompletableFuture().isDone());
            pair.closeArenas();
            pair.close();
        }
    }

    /** While the receiving device is driven. */
    private static ExchangeSender connect(DevicePair pair, String name, ExchangeOptions options) {
        CompletionStage<ExchangeSender> made = pair.sender
                .elsewhere(() -> pair.channel().exchangeSender(name, options, DevicePair.TIMEOUT));
        DevicePair.awaitTrue(pair.receiver, () -> made.toCompletableFuture().isDone());
        return made.toCompletableFuture().join();
    }

    private static byte[] content(long byteSize, long seed) {
        byte[] content = new byte[(int) byteSize];
        new Random(seed).nextBytes(content);
        return content;
    }

    private static void assertIs(Tensor tensor, ElementType type, Shape shape, long seed) {
        assertEquals(type, tensor.type());
        assertEquals(shape, tensor.shape());
        assertArrayEquals(content(tensor.byteSize(), seed), tensor.memory().toArray(ValueLayout.JAVA_BYTE));
    }

    private static Shape shape(Random random) {
        long[] dimensions = new long[random.nextInt(5)];
        for (int i = 0; i < dimensions.length; i++) {
            dimensions[i] = random.nextInt(10) == 0 ? 0 : random.nextInt(1, 14);
        }
        return Shape.of(dimensions);
    }

    /** Asked for before and after they are sent, in another order, of any type and shape, small and large. */
    @ParameterizedTest
    @MethodSource("everyWay")
    void whatIsAskedForComes(ArrivalMode mode, Progress progress) {
        DevicePair pair = new DevicePair(DevicePair.options(mode).withProgress(progress));
        List<String> failures = Collections.synchronizedList(new ArrayList<>());
        try (Ends ends = new Ends(pair, ExchangeOptions.defaults().withDepth(DEPTH).withEagerByteSizeMax(1000))) {
            Random random = new Random(5);
            for (int round = 0; round < 30; round++) {
                List<Integer> steps = new ArrayList<>();
                List<ElementType> types = new ArrayList<>();
                List<Shape> shapes = new ArrayList<>();
                List<ExchangeRequest> requests = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    steps.add(i);
                    types.add(ElementType.values()[random.nextInt(ElementType.values().length)]);
                    shapes.add(shape(random));
                    requests.add(null);
                }
                List<Integer> asked = new ArrayList<>(steps);
                Collections.shuffle(steps, random);
                Collections.shuffle(asked, random);
                for (int i = 0; i < steps.size(); i++) {
                    int step = asked.get(i);
                    int sent = steps.get(i);
                    requests.set(step, ends.receiver.receive("name " + step % 3, round * 100L + step));
                    try (Tensor tensor = ends.tensor(types.get(sent), shapes.get(sent), sent)) {
                        assertEquals(SendResult.SENT, ends.sender.offer("name " + sent % 3, round * 100L + sent, tensor,
                                failure -> failures.add(String.valueOf(failure))));
                    }
                }
                for (int i = 0; i < requests.size(); i++) {
                    ends.await(requests.get(i));
                    assertEquals(ExchangeContent.TENSOR, requests.get(i).content());
                    try (Tensor tensor = requests.get(i).take()) {
                        assertIs(tensor, types.get(i), shapes.get(i), i);
                    }
                }
            }
            DevicePair.awaitTrue(pair.sender, () -> {
                pair.sender.progress();
                return failures.size() == 600;
            });
            assertEquals(Collections.nCopies(600, "null"), failures);
            ExchangeStatistics statistics = ends.sender.statistics();
            assertEquals(600, statistics.eager() + statistics.rendezvous());
            assertTrue(statistics.eager() > 50 && statistics.rendezvous() > 50, statistics::toString);
            assertEquals("sender", ends.receiver.senderName());
            assertEquals("receiver", ends.sender.receiverName());
        }
    }

    /**
     * However far it had driven before: what is taken is released, although the receiver does something else from then on: the release of the
     * first goes before the last chunks of the second.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void whoTakesTheLastAndDrivesNoMoreHasReleasedAll(int drives) {
        Shape shape = Shape.of(8 << 20);
        try (Ends ends = new Ends()) {
            List<String> told = new ArrayList<>();
            List<ExchangeRequest> requests = new ArrayList<>();
            for (int step = 0; step < 2; step++) {
                requests.add(ends.receiver.receive("x", step));
                ends.send("x", step, shape, cause -> told.add(cause + ""));
            }
            for (int i = 0; i < drives; i++) {
                ends.pair.receiver.progress();
            }
            DevicePair.awaitTrue(ends.pair.receiver, () -> requests.getFirst().isDone() && requests.getLast().isDone());
            requests.forEach(request -> request.take().close());
            DevicePair.awaitTrue(ends.pair.sender, () -> told.size() == 2);
            assertEquals(List.of("null", "null"), told);
        }
    }

    @Test
    void largestRankAndLongestNameAndNothingAtAll() {
        try (Ends ends = new Ends()) {
            long[] dimensions = new long[Shape.RANK_MAX];
            Arrays.fill(dimensions, 2);
            String longest = "ü".repeat(256);
            List<Shape> shapes = List.of(Shape.of(dimensions), Shape.of(), Shape.of(3, 0, 5), LARGE);
            for (int i = 0; i < shapes.size(); i++) {
                ends.send(longest, i, shapes.get(i), null);
                ends.assertReceived(longest, i, shapes.get(i));
            }
            Tensor tensor = ends.tensor(ElementType.UINT8, Shape.of(1), 0);
            for (String name : List.of("", longest + "x")) {
                assertThrows(IllegalArgumentException.class, () -> ends.sender.offer(name, 0, tensor, null));
                assertThrows(IllegalArgumentException.class, () -> ends.receiver.receive(name, 0));
            }
            tensor.close();
        }
    }

    /** The reads of one tensor are several where it is larger than a message of the fabric, and so are the writes of a message. */
    @Test
    void tensorsLargerThanAMessageOfTheFabricAreReadInParts() {
        RdmaDeviceOptions options = DevicePair.options(ArrivalMode.AUTO).withProgress(Progress.callers());
        DevicePair pair = new DevicePair(
                RdmaDevice.create(options.withName("sender"), DynamicAllocationTest.smallMessages()),
                RdmaDevice.create(options.withName("receiver"), DynamicAllocationTest.smallMessages()));
        try (Ends ends = new Ends(pair, ExchangeOptions.defaults().withEagerByteSizeMax(6_000).withChecksums())) {
            for (int size : new int[]{1, 3071, 3072, 3073, 4095, 4096, 4097, 6_000, 6_001, 8192, 100_000}) {
                ends.send("x", size, Shape.of(size), null);
                ends.assertReceived("x", size, Shape.of(size));
            }
        }
    }

    /** A large one stays pinned until it is read, a small one until it is in the message. */
    @Test
    void isReleasedWhenItIsReadAndNotBefore() {
        try (Ends ends = new Ends()) {
            List<Boolean> told = new ArrayList<>();
            ends.send("large", 1, LARGE, failure -> told.add(failure == null));
            ends.send("small", 1, Shape.of(8), null);
            ends.assertReceived("small", 1, Shape.of(8));
            assertEquals(1, ends.pair.senderArena.statistics().liveCount());
            assertEquals(List.of(), told);
            ends.assertReceived("large", 1, LARGE);
            DevicePair.awaitTrue(ends.pair.sender, () -> {
                ends.pair.sender.progress();
                return told.size() == 1;
            });
            assertEquals(List.of(true), told);
            assertEquals(0, ends.pair.senderArena.statistics().liveCount());
        }
    }

    /** While credits last each goes at once; then they gather, and go together. */
    @Test
    void smallTensorsThatWaitTravelTogetherInOrder() {
        try (Ends ends = new Ends()) {
            for (int i = 0; i < 64; i++) {
                ends.send("small", i, Shape.of(256), null);
            }
            assertEquals(DEPTH, ends.sender.statistics().messages());
            for (int i = 0; i < 64; i++) {
                ends.assertReceived("small", i, Shape.of(256));
                ends.pair.sender.progress();
            }
            ExchangeStatistics statistics = ends.sender.statistics();
            assertEquals(64, statistics.eager());
            assertEquals(64 * 256, statistics.eagerByteSize());
            assertTrue(statistics.messages() <= DEPTH + 3, statistics::toString);
        }
    }

    /** Of 256 bytes some 27 fill a message. */
    @Test
    void whatIsHeldGoesInFullMessages() {
        try (Ends ends = new Ends()) {
            ends.sender.hold();
            ends.send("small", 0, Shape.of(256), null);
            assertEquals(0, ends.sender.statistics().messages());
            for (int i = 1; i < 64; i++) {
                ends.send("small", i, Shape.of(256), null);
            }
            assertEquals(2, ends.sender.statistics().messages());
            assertEquals(64 - ends.sender.statistics().eager(), ends.sender.waitingCount());
            ends.sender.flush();
            assertEquals(3, ends.sender.statistics().messages());
            assertEquals(0, ends.sender.waitingCount());
            for (int i = 0; i < 64; i++) {
                ends.assertReceived("small", i, Shape.of(256));
            }
            ends.send("small", 64, Shape.of(256), null);
            assertEquals(4, ends.sender.statistics().messages());
            ends.assertReceived("small", 64, Shape.of(256));
        }
    }

    @Test
    void whoWaitsForATensorLetsGoWhatIsHeldToo() {
        try (Ends ends = new Ends()) {
            ends.sender.hold();
            ends.send("held", 1, Shape.of(8), null);
            try (Tensor tensor = ends.tensor(ElementType.UINT8, Shape.of(8), 2)) {
                ends.sender.send("waited for", 2, tensor, DevicePair.TIMEOUT);
            }
            assertEquals(1, ends.sender.statistics().messages());
            ends.assertReceived("held", 1, Shape.of(8));
            ends.assertReceived("waited for", 2, Shape.of(8));
        }
    }

    @Test
    void whatIsHeldCanBeWithdrawn() {
        List<TransferException> told = new ArrayList<>();
        try (Ends ends = new Ends()) {
            ends.sender.hold();
            ends.send("x", 1, Shape.of(256), told::add);
            ends.sender.withdraw("x", 1);
            assertEquals(1, told.size());
            assertTrue(told.getFirst().getMessage().contains("was withdrawn"), told::toString);
            // Of what is not there any more a message is not filled.
            for (int i = 0; i < 26; i++) {
                ends.send("y", i, Shape.of(256), null);
            }
            assertEquals(0, ends.sender.statistics().messages());
            ends.sender.flush();
            assertEquals(1, ends.sender.statistics().messages());
            ends.assertReceived("y", 25, Shape.of(256));
        }
    }

    @Test
    void whoClosesLetsGoWhatIsHeld() {
        List<TransferException> told = new ArrayList<>();
        try (Ends ends = new Ends()) {
            ends.sender.hold();
            ends.send("x", 1, Shape.of(256), told::add);
        }
        assertEquals(1, told.size());
        assertNull(told.getFirst());
    }

    @Test
    void ofTheSameNameAndStepTheFirstIsTheFirst() {
        try (Ends ends = new Ends()) {
            ExchangeRequest first = ends.receiver.receive("x", 1);
            ExchangeRequest second = ends.receiver.receive("x", 1);
            for (int size = 1; size <= 4; size++) {
                ends.send("x", 1, Shape.of(size), null);
            }
            for (ExchangeRequest request : List.of(first, second)) {
                assertTrue(request.await(DevicePair.TIMEOUT));
            }
            try (Tensor one = first.take(); Tensor two = second.take()) {
                assertIs(one, ElementType.UINT8, Shape.of(1), 1);
                assertIs(two, ElementType.UINT8, Shape.of(2), 1);
            }
            ends.assertReceived("x", 1, Shape.of(3));
            ends.assertReceived("x", 1, Shape.of(4));
        }
    }

    /** Type and shape are told when they change, and no more. */
    @Test
    void shapesAreToldWhenTheyChange() {
        try (Ends ends = new Ends()) {
            Shape[] shapes = {Shape.of(10), Shape.of(10), LARGE, LARGE, Shape.of(10), Shape.of(2, 5)};
            for (int step = 0; step < shapes.length; step++) {
                ends.send("x", step, shapes[step], null);
                ends.assertReceived("x", step, shapes[step]);
            }
            assertEquals(4, ends.sender.statistics().shapes());
        }
    }

    /** There are as many names as one likes; those beyond what is remembered are told each time. */
    @Test
    void namesBeyondThoseThatAreRemembered() {
        try (Ends ends = new Ends()) {
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < 4_200; i++) {
                    ends.send("name " + i, round, Shape.of(1 + i % 3), null);
                    ends.assertReceived("name " + i, round, Shape.of(1 + i % 3));
                }
            }
            assertEquals(4096 + 2 * 104, ends.sender.statistics().shapes());
        }
    }

    @Test
    void bytesAndDeadOnesAndFailuresAreTold() {
        try (Ends ends = new Ends(ExchangeOptions.defaults().withChecksums())) {
            byte[] bytes = content(1000, 3);
            ends.sender.offerBytes("bytes", 1, bytes, null);
            ends.sender.offerBytes("bytes", 2, new byte[0], null);
            ends.sender.offerDead("dead", 7, null);
            ends.sender.fail("failed", 9, new IllegalStateException("no gradient"), null);
            ExchangeRequest request = ends.receiver.receive("bytes", 1);
            assertTrue(request.await(DevicePair.TIMEOUT));
            assertEquals(ExchangeContent.BYTES, request.content());
            try (Tensor tensor = request.take()) {
                assertArrayEquals(bytes, tensor.memory().toArray(ValueLayout.JAVA_BYTE));
            }
            try (Tensor tensor = ends.receiver.receive("bytes", 2, DevicePair.TIMEOUT)) {
                assertEquals(0, tensor.byteSize());
            }
            ExchangeRequest dead = ends.receiver.receive("dead", 7);
            assertTrue(dead.await(DevicePair.TIMEOUT));
            assertEquals(ExchangeContent.DEAD, dead.content());
            assertNull(dead.take());
            assertThrows(IllegalStateException.class, dead::take);
            ExchangeException e = assertThrows(ExchangeException.class,
                    () -> ends.receiver.receive("failed", 9, DevicePair.TIMEOUT));
            assertEquals("peer sender failed 'failed' step=9: java.lang.IllegalStateException: no gradient",
                    e.getMessage());
            assertEquals("sender", e.peerName());
            assertEquals("failed", e.tensorName());
            assertEquals(9, e.step());
            assertEquals("java.lang.IllegalStateException: no gradient", e.peerMessage());
            ends.sender.fail("failed", 10, new IllegalStateException("ü".repeat(10_000)), null);
            String cut = assertThrows(ExchangeException.class,
                    () -> ends.receiver.receive("failed", 10, DevicePair.TIMEOUT)).peerMessage();
            assertTrue(cut.endsWith("üü"), cut);
            assertThrows(IllegalArgumentException.class,
                    () -> ends.sender.offerBytes("bytes", 3, new byte[8192], null));
        }
    }

    @Test
    void whatWasChangedOnTheWayIsSeen() {
        try (Ends ends = new Ends(ExchangeOptions.defaults().withChecksums())) {
            Tensor tensor = ends.tensor(ElementType.UINT8, LARGE, 1);
            assertEquals(SendResult.SENT, ends.sender.offer("x", 3, tensor, null));
            byte before = tensor.memory().get(ValueLayout.JAVA_BYTE, 777);
            tensor.memory().set(ValueLayout.JAVA_BYTE, 777, (byte) (before + 1));
            tensor.close();
            String message = assertThrows(TransferException.class,
                    () -> ends.receiver.receive("x", 3, DevicePair.TIMEOUT)).getMessage();
            assertTrue(message.matches(
                    ".*'x' step=3 is damaged: checksum=0x[0-9a-f]+ but the sender's is 0x[0-9a-f]+"), message);
        }
    }

    /** What comes later is for who asks then; what is being read is closed. */
    @Test
    void isCancelled() {
        try (Ends ends = new Ends()) {
            ExchangeRequest never = ends.receiver.receive("x", 1);
            assertTrue(never.cancel());
            assertFalse(never.cancel());
            assertTrue(never.isDone());
            assertThrows(IllegalStateException.class, never::take);
            assertThrows(TransferException.class, () -> ends.receiver.receive("x", 1, SHORT));
            ends.send("x", 1, Shape.of(5), null);
            ends.assertReceived("x", 1, Shape.of(5));
            List<Boolean> told = new ArrayList<>();
            ends.send("x", 2, LARGE, failure -> told.add(failure == null));
            ExchangeRequest arrived = ends.receiver.receive("x", 2);
            assertTrue(arrived.await(DevicePair.TIMEOUT));
            assertFalse(arrived.cancel());
            assertEquals(0, ends.pair.receiverArena.statistics().liveCount() - liveWhenIdle());
            DevicePair.awaitTrue(ends.pair.sender, () -> {
                ends.pair.sender.progress();
                return told.equals(List.of(true));
            });
        }
    }

    /** What nobody reads yet is its sender's again; what is read is past that. */
    @Test
    void isWithdrawn() {
        try (Ends ends = new Ends()) {
            List<String> told = new ArrayList<>();
            SendCallback telling = failure -> told.add(failure == null ? "done" : failure.getMessage());
            ends.send("large", 1, LARGE, telling);
            ends.send("large", 2, LARGE, null);
            for (int i = 0; i < DEPTH; i++) {
                ends.send("small", i, Shape.of(8), null);
            }
            ends.send("waits", 1, Shape.of(8), telling);
            ends.sender.withdraw("waits", 1);
            assertTrue(told.size() == 1 && told.getFirst().contains("'waits' step=1: was withdrawn"), told::toString);
            ends.sender.withdraw("large", 1);
            ends.sender.withdraw("nothing", 1);
            ends.awaitTold(told, 2);
            assertTrue(told.get(1).contains("'large' step=1: was withdrawn"), told::toString);
            assertEquals(1, ends.pair.senderArena.statistics().liveCount());
            assertThrows(TransferException.class, () -> ends.receiver.receive("large", 1, SHORT));
            ends.assertReceived("large", 2, LARGE);
            ends.send("large", 1, LARGE, telling);
            ends.assertReceived("large", 1, LARGE);
            ends.sender.withdraw("large", 1);
            ends.awaitTold(told, 3);
            assertEquals("done", told.get(2));
        }
    }

    /** Who has asked, and waits for memory, goes on asking. */
    @Test
    void isWithdrawnFromWhoWaitsForMemory() {
        try (Ends ends = new Ends()) {
            List<String> told = new ArrayList<>();
            Tensor all = ends.pair.receiverArena.allocate(ElementType.UINT8, Shape.of(63 << 20));
            ends.send("x", 1, Shape.of(2 << 20), failure -> told.add(failure.getMessage()));
            ExchangeRequest request = ends.receiver.receive("x", 1);
            awaitOutOfMemory(request);
            ends.sender.withdraw("x", 1);
            ends.awaitTold(told, 1);
            assertFalse(request.isDone());
            all.close();
            ends.send("x", 1, LARGE, null);
            ends.await(request);
            try (Tensor tensor = request.take()) {
                assertIs(tensor, ElementType.UINT8, LARGE, 1);
            }
        }
    }

    /** No engine has anything to do when that happens: who waits sleeps until the deadline if he does not look himself. */
    @Test
    void whoWaitsForMemoryThatAnotherThreadFreesGoesOn() throws InterruptedException {
        try (Ends ends = new Ends()) {
            Tensor all = ends.pair.receiverArena.allocate(ElementType.UINT8, Shape.of(63 << 20));
            ends.send("x", 1, Shape.of(2 << 20), null);
            ExchangeRequest request = ends.receiver.receive("x", 1);
            awaitOutOfMemory(request);
            Thread user = Thread.ofPlatform().start(() -> {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                all.close();
            });
            assertTrue(DynamicAllocationTest.whileDriven(ends.pair.sender,
                    () -> request.await(DynamicAllocationTest.FOR_EVER)));
            user.join();
            request.take().close();
        }
    }

    /** What has not been asked for when the time is up is not sent any more. */
    @Test
    void sendingHasADeadline() {
        try (Ends ends = new Ends(); Tensor tensor = ends.tensor(ElementType.UINT8, LARGE, 1)) {
            String message = assertThrows(TransferException.class, () -> ends.sender.send("x", 1, tensor, SHORT))
                    .getMessage();
            assertTrue(message.contains("has not taken 'x' step=1 after"), message);
            DevicePair.awaitTrue(ends.pair.receiver, () -> {
                ends.pair.sender.progress();
                return ends.sender.statistics().withdrawn() == 1;
            });
            CompletionStage<Void> sent = ends.sender.sendAsync("x", 1, tensor, DevicePair.TIMEOUT);
            ends.assertReceived("x", 1, LARGE);
            DevicePair.awaitTrue(ends.pair.sender, () -> sent.toCompletableFuture().isDone());
            assertFalse(sent.toCompletableFuture().isCompletedExceptionally());
        }
    }

    /** A large tensor is used as it lands: without gaps, the first piece long before the last. */
    @Test
    void piecesAreHandedOnAsTheyLand() {
        try (Ends ends = new Ends()) {
            Shape shape = Shape.of(16, 1 << 20);
            byte[] expected = content(shape.byteSize(ElementType.UINT8), 7);
            ends.send("x", 7, shape, null);
            List<Long> offsets = new ArrayList<>();
            byte[] landed = new byte[expected.length];
            List<ExchangeRequest> requests = new ArrayList<>();
            ChunkHandler handler = (type, whole, byteOffset, chunk) -> {
                assertEquals(shape, whole);
                assertTrue(chunk.isReadOnly());
                offsets.add(byteOffset);
                MemorySegment.copy(chunk, ValueLayout.JAVA_BYTE, 0, landed, (int) byteOffset,
                        (int) chunk.byteSize());
            };
            requests.add(ends.receiver.receive("x", 7, handler));
            ends.await(requests.getFirst());
            requests.getFirst().take().close();
            assertArrayEquals(expected, landed);
            // How large those behind are depends on how fast the machine copies: up to 4 MiB.
            assertEquals(List.of(0L, 128L << 10, 256L << 10), offsets.subList(0, 3));
            offsets.add((long) expected.length);
            for (int i = 1; i < offsets.size(); i++) {
                long byteSize = offsets.get(i) - offsets.get(i - 1);
                assertTrue(byteSize > 0 && byteSize <= 4 << 20, offsets::toString);
            }
        }
    }

    @Test
    void smallTensorsAreOnePieceAndEmptyOnesNone() {
        try (Ends ends = new Ends()) {
            List<String> pieces = new ArrayList<>();
            ChunkHandler handler = (type, shape, byteOffset, chunk) -> pieces
                    .add(type + "" + shape + " " + byteOffset + " " + chunk.byteSize());
            ends.send("early", 1, Shape.of(3, 5), null);
            for (String name : List.of("early", "empty", "dead", "late")) {
                ExchangeRequest request = ends.receiver.receive(name, 1, handler);
                if (name.equals("dead")) {
                    ends.sender.offerDead(name, 1, null);
                } else if (!name.equals("early")) {
                    ends.send(name, 1, name.equals("empty") ? Shape.of(0) : Shape.of(4), null);
                }
                ends.await(request);
                request.close();
            }
            assertEquals(List.of("UINT8[3, 5] 0 15", "UINT8[4] 0 4"), pieces);
        }
    }

    @Test
    void aHandlerThatFailsFailsItsRequestAlone() {
        try (Ends ends = new Ends()) {
            ExchangeRequest request = ends.receiver.receive("x", 1, (type, shape, byteOffset, chunk) -> {
                throw new IllegalArgumentException("no use for it");
            });
            ends.send("x", 1, LARGE, null);
            ends.await(request);
            String message = assertThrows(TransferException.class, request::take).getMessage();
            assertTrue(message.contains("'x' step=1: its handler failed") && message.contains("no use for it"),
                    message);
            ends.send("x", 2, LARGE, null);
            ends.assertReceived("x", 2, LARGE);
        }
    }

    @Test
    void aRequestIsAskedAgain() {
        try (Ends ends = new Ends(); ExchangeRequest request = ends.receiver.receive("x", 0)) {
            TensorLease lease = new TensorLease();
            assertThrows(IllegalStateException.class, () -> request.ask("x", 1));
            for (int step = 0; step < 6; step++) {
                ends.send("x", step, step % 2 == 0 ? Shape.of(9) : LARGE, null);
                ends.await(request);
                assertTrue(request.take(lease));
                assertArrayEquals(content(step % 2 == 0 ? 9 : 50_000, step),
                        lease.memory().toArray(ValueLayout.JAVA_BYTE));
                lease.close();
                assertThrows(IllegalStateException.class, () -> request.take(lease));
                request.ask("x", step + 1);
            }
            ends.sender.offerDead("x", 6, null);
            ends.await(request);
            assertFalse(request.take(lease));
        }
    }

    /** Where it is measured it is between the smallest and the largest that makes sense over shared memory, and it says why. */
    @Test
    void theChoiceIsVisible() {
        try (Ends ends = new Ends(); Tensor tensor = ends.tensor(ElementType.UINT8, Shape.of(600), 1)) {
            ExchangeStatistics measured = ends.sender.statistics();
            assertTrue(measured.choice().matches("measured: a request takes \\d+ ns, a copy of 65536 bytes \\d+ ns; "
                    + "a CPU moves it, so no more than 4096 bytes"), measured::toString);
            assertTrue(measured.eagerByteSizeMax() >= 512 && measured.eagerByteSizeMax() <= 4096, measured::toString);
            ExchangeReceiver other = ends.pair.receiver.exchangeReceiver("other", ends.pair.receiverArena, DEPTH);
            ExchangeSender forced = connect(ends.pair, "other", ExchangeOptions.defaults().withEagerByteSizeMax(0));
            forced.offer("x", 1, tensor, null);
            assertEquals("as configured", forced.statistics().choice());
            assertEquals(1, forced.statistics().rendezvous());
            CompletionStage<Void> closing = ends.pair.sender.elsewhere(() -> {
                forced.close();
                return null;
            });
            DevicePair.awaitTrue(ends.pair.receiver, () -> closing.toCompletableFuture().isDone());
            other.close();
        }
    }

    /** The slots, and the words that releases are written from. */
    private static long liveWhenIdle() {
        return 2;
    }

    /** What is asked for has first to be told of. */
    private static OutOfArenaMemoryException awaitOutOfMemory(ExchangeRequest request) {
        while (true) {
            try {
                assertFalse(request.await(SHORT));
            } catch (OutOfArenaMemoryException e) {
                return e;
            }
        }
    }

    @Test
    void fullArenaIsSaidAndWaitedFor() {
        DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO).withProgress(Progress.callers()));
        TensorArena small = TensorArena.create(pair.receiver.slabSource(), 1 << 20, 1 << 20);
        ExchangeReceiver receiver = pair.receiver.exchangeReceiver("small", small, DEPTH);
        ExchangeSender sender = connect(pair, "small", ExchangeOptions.defaults());
        try (Ends ends = new Ends(pair, ExchangeOptions.defaults())) {
            Shape shape = Shape.of(600_000);
            for (int step = 1; step <= 2; step++) {
                try (Tensor tensor = ends.tensor(ElementType.UINT8, shape, step)) {
                    sender.offer("x", step, tensor, null);
                }
            }
            Tensor first = receiver.receive("x", 1, DevicePair.TIMEOUT);
            ExchangeRequest second = receiver.receive("x", 2);
            String message = awaitOutOfMemory(second).getMessage();
            assertTrue(message.contains("'x' step=2") && message.contains("byteSize=600000"), message);
            assertTrue(second.cancel());
            ExchangeRequest again = receiver.receive("x", 2);
            assertFalse(again.isDone());
            first.close();
            assertTrue(again.await(DevicePair.TIMEOUT));
            try (Tensor tensor = again.take()) {
                assertIs(tensor, ElementType.UINT8, shape, 2);
            }
            CompletionStage<Void> closing = pair.receiver.elsewhere(() -> {
                receiver.close();
                return null;
            });
            DevicePair.awaitTrue(pair.sender, () -> closing.toCompletableFuture().isDone());
            CompletionStage<Void> closingSender = pair.sender.elsewhere(() -> {
                sender.close();
                return null;
            });
            DevicePair.awaitTrue(pair.receiver, () -> closingSender.toCompletableFuture().isDone());
            small.close();
        }
    }

    /** Neither side keeps more than it says. */
    @Test
    void whatNobodyAsksForIsBounded() {
        try (Ends ends = new Ends()) {
            int sent = 0;
            try (Tensor tensor = ends.tensor(ElementType.UINT8, Shape.of(10_000), 1)) {
                while (ends.sender.offer("x", sent, tensor, null) == SendResult.SENT) {
                    sent++;
                    ends.pair.receiver.progress();
                }
            }
            assertEquals(1024, sent);
            for (int i = 0; i < 1024; i++) {
                ends.receiver.receive("y", i);
            }
            String message = assertThrows(IllegalStateException.class, () -> ends.receiver.receive("z", 1))
                    .getMessage();
            assertTrue(message.contains("1024") && message.contains("'z' step=1"), message);
            try (Tensor taken = ends.receiver.receive("x", 5, DevicePair.TIMEOUT);
                    Tensor tensor = ends.tensor(ElementType.UINT8, Shape.of(10_000), 1)) {
                assertEquals(10_000, taken.byteSize());
                DevicePair.awaitTrue(ends.pair.sender, () -> {
                    ends.pair.sender.progress();
                    return ends.sender.offer("x", 1024, tensor, null) == SendResult.SENT;
                });
            }
        }
    }

    @Test
    void memoryThatPeersMayNotReadIsRefusedUnlessItIsSmall() {
        try (Ends ends = new Ends();
                Tensor large = ends.pair.receiverArena.allocate(ElementType.UINT8, LARGE);
                Tensor small = ends.pair.receiverArena.allocate(ElementType.UINT8, Shape.of(10))) {
            small.memory().copyFrom(MemorySegment.ofArray(content(10, 1)));
            assertFalse(ends.sender.isSendable(large));
            String message = assertThrows(IllegalArgumentException.class,
                    () -> ends.sender.offer("x", 1, large, null)).getMessage();
            assertTrue(message.contains("readableSlabSource"), message);
            assertTrue(ends.sender.isSendable(small));
            ends.sender.offer("x", 1, small, null);
            ends.assertReceived("x", 1, Shape.of(10));
        }
    }

    /** Each of them hears of it once. */
    @Test
    void aLostPeerFailsAllThatIsPending() {
        DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO));
        ExchangeReceiver receiver = pair.receiver.exchangeReceiver(NAME, pair.receiverArena, DEPTH);
        ExchangeSender sender = pair.channel().exchangeSender(NAME, ExchangeOptions.defaults(), DevicePair.TIMEOUT);
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        try (Tensor tensor = pair.senderArena.allocate(ElementType.UINT8, LARGE)) {
            for (int i = 0; i < 3; i++) {
                sender.offer("x", i, tensor, failure -> told.add(failure.getMessage()));
            }
        }
        ExchangeRequest request = receiver.receive("y", 1);
        assertFalse(request.isDone());
        pair.sender.abort("enough");
        assertTrue(request.await(DevicePair.TIMEOUT));
        String message = assertThrows(TransferException.class, request::take).getMessage();
        assertTrue(message.contains("enough") && message.contains("'y' step=1"), message);
        assertThrows(TransferException.class, () -> receiver.receive("y", 2));
        DevicePair.awaitTrue(pair.sender, () -> told.size() == 3);
        assertTrue(told.get(0).contains("enough") && told.get(0).contains("step="), told::toString);
        assertThrows(TransferException.class, () -> sender.offerDead("x", 9, null));
        sender.close();
        receiver.close();
        DevicePair.awaitTrue(pair.sender, () -> pair.senderArena.statistics().liveCount() == 0);
        assertEquals(3, told.size());
        pair.closeArenas();
        pair.close();
    }

    /** What was not read by then is told to have failed, by whichever end closes first; another sender may come. */
    @Test
    void endsClose() {
        DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO));
        ExchangeReceiver receiver = pair.receiver.exchangeReceiver(NAME, pair.receiverArena, DEPTH);
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        ExchangeRequest waiting = receiver.receive("last", 1);
        for (int round = 0; round < 3; round++) {
            ExchangeSender sender = pair.channel().exchangeSender(NAME, ExchangeOptions.defaults(), DevicePair.TIMEOUT);
            try (Tensor tensor = pair.floats(50_000, round); Tensor small = pair.floats(1, round)) {
                sender.offer("x", round, tensor, failure -> told.add(failure.getMessage()));
                sender.offer("y", round, small, null);
            }
            if (round < 2) {
                sender.close();
                assertEquals(round + 1, told.size());
                assertTrue(told.get(round).contains("before the peer had asked for it"), told::toString);
                assertThrows(IllegalStateException.class, () -> sender.offerDead("x", 1, null));
            } else {
                receiver.close();
                DevicePair.awaitTrue(pair.sender, () -> told.size() == 3);
                assertTrue(told.get(2).contains("closed the receiver"), told::toString);
                sender.close();
            }
            if (round == 0) {
                try (Tensor small = receiver.receive("y", round, DevicePair.TIMEOUT)) {
                    assertEquals(4, small.byteSize());
                }
            }
        }
        assertTrue(waiting.isDone());
        assertThrows(TransferException.class, waiting::take);
        assertThrows(IllegalStateException.class, () -> receiver.receive("x", 1));
        pair.closeArenas();
        pair.close();
    }

    @Test
    void othersSendersAreRefused() {
        try (Ends ends = new Ends()) {
            CompletionStage<Object> refused = ends.pair.sender
                    .elsewhere(() -> ends.pair.channel().dynamicSender(NAME, DevicePair.TIMEOUT));
            DevicePair.awaitTrue(ends.pair.receiver, () -> refused.toCompletableFuture().isDone());
            String message = refused.toCompletableFuture().exceptionNow().getMessage();
            assertTrue(message.contains("use channel.exchangeSender, not channel.dynamicSender"), message);
        }
    }

    @Test
    void bothWays() throws Exception {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            ExchangeOptions options = ExchangeOptions.defaults();
            TensorArena other = TensorArena.create(pair.receiver.readableSlabSource(), 1 << 20, 64 << 20);
            CompletionStage<TensorExchange> making = pair.receiver.exchangeAsync("weights", pair.sender.endpoint(),
                    other,
                    options, DevicePair.TIMEOUT);
            try (TensorExchange here = pair.sender.exchange("weights", pair.receiver.endpoint(), pair.senderArena,
                    options, DevicePair.TIMEOUT); TensorExchange there = making.toCompletableFuture().get()) {
                assertEquals("receiver", here.peerName());
                assertEquals("sender", there.peerName());
                CompletionStage<Tensor> asked = there.receiveAsync("w", 1, DevicePair.TIMEOUT);
                try (Tensor tensor = pair.floats(10_000, 3)) {
                    here.send("w", 1, tensor, DevicePair.TIMEOUT);
                    try (Tensor arrived = asked.toCompletableFuture().get()) {
                        assertEquals(-1, arrived.memory().mismatch(tensor.memory()));
                    }
                }
                there.fail("dw", 1, new ArithmeticException("NaN"), null);
                assertThrows(ExchangeException.class, () -> here.receive("dw", 1, DevicePair.TIMEOUT));
                there.offerDead("dw", 2, null);
                assertNull(here.receive("dw", 2, DevicePair.TIMEOUT));
                here.offerBytes("note", 1, new byte[]{1, 2}, null);
                try (ExchangeRequest request = there.receive("note", 1)) {
                    assertTrue(request.await(DevicePair.TIMEOUT));
                    request.take().close();
                }
                assertEquals(1, here.statistics().rendezvous());
            }
            other.close();
            pair.closeArenas();
        }
    }
}
