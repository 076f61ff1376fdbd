package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.memory.TensorView;
import dev.verbena.transfer.spi.ForeignMemory;
import dev.verbena.transfer.spi.MemoryRegion;

/** Tensors of any shape, told of by records and read by who receives them. */
class DynamicAllocationTest {
    private static final String EDGE = "edge";
    private static final Duration SHORT = Duration.ofMillis(20);
    /** Longer than a test may take. */
    static final Duration FOR_EVER = Duration.ofHours(1);

    private static Stream<Arguments> everyWay() {
        return Stream.of(ArrivalMode.TAIL, ArrivalMode.IMMEDIATE)
                .flatMap(mode -> Stream.of(Progress.pollers(), Progress.callers())
                        .map(progress -> Arguments.of(mode, progress)));
    }

    private static DevicePair pair() {
        return new DevicePair(DevicePair.options(ArrivalMode.AUTO).withProgress(Progress.callers()));
    }

    static SmallMessageFabric smallMessages() {
        NetworkOptions network = NetworkOptions.defaults();
        return new SmallMessageFabric(Fabrics.select("shm", network).open(network), 4096);
    }

    /** Where callers drive, the other device's has to do so meanwhile. */
    static <T> T whileDriven(RdmaDevice other, Supplier<T> action) {
        AtomicBoolean isOver = new AtomicBoolean();
        Thread driver = Thread.ofPlatform().start(() -> {
            while (!isOver.get()) {
                other.awaitActivity(other.activity(), 100_000);
            }
        });
        try {
            return action.get();
        } finally {
            isOver.set(true);
            join(driver);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static DynamicTensorSender sender(DevicePair pair) {
        return whileDriven(pair.receiver, () -> pair.channel().dynamicSender(EDGE, DevicePair.TIMEOUT));
    }

    private static void close(DevicePair pair, DynamicTensorSender sender) {
        whileDriven(pair.receiver, () -> {
            sender.close();
            return null;
        });
    }

    private static void close(DevicePair pair, DynamicTensorReceiver receiver) {
        whileDriven(pair.sender, () -> {
            receiver.close();
            return null;
        });
    }

    static Tensor tensor(TensorArena arena, ElementType type, Shape shape, long seed) {
        Tensor tensor = arena.allocate(type, shape);
        byte[] content = new byte[(int) tensor.byteSize()];
        new Random(seed).nextBytes(content);
        tensor.memory().copyFrom(java.lang.foreign.MemorySegment.ofArray(content));
        return tensor;
    }

    static void assertIs(Tensor arrived, ElementType type, Shape shape, long seed) {
        assertEquals(type, arrived.type());
        assertEquals(shape, arrived.shape());
        byte[] content = new byte[(int) shape.byteSize(type)];
        new Random(seed).nextBytes(content);
        assertTrue(Arrays.equals(content, arrived.memory().toArray(ValueLayout.JAVA_BYTE)));
    }

    private static Shape shape(Random random) {
        long[] dimensions = new long[random.nextInt(5)];
        for (int i = 0; i < dimensions.length; i++) {
            dimensions[i] = random.nextInt(10) == 0 ? 0 : random.nextInt(1, 12);
        }
        return Shape.of(dimensions);
    }

    @ParameterizedTest
    @MethodSource("everyWay")
    void tensorsOfAnyShapeArriveInOrderAndWhole(ArrivalMode mode, Progress progress) {
        try (DevicePair pair = new DevicePair(DevicePair.options(mode).withProgress(progress))) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 3);
            DynamicTensorSender sender = sender(pair);
            assertEquals(mode, receiver.arrivalMode());
            assertEquals(mode, sender.arrivalMode());
            assertEquals("receiver", sender.receiverName());
            AtomicInteger told = new AtomicInteger();
            long bytes = 0;
            Random random = new Random(7);
            for (int i = 0; i < 300; i++) {
                ElementType type = ElementType.values()[random.nextInt(ElementType.values().length)];
                Shape shape = shape(random);
                Tensor tensor = tensor(pair.senderArena, type, shape, i);
                bytes += tensor.byteSize();
                DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, failure -> {
                    assertNull(failure);
                    told.incrementAndGet();
                }) == SendResult.SENT);
                tensor.close();
                Tensor arrived = DevicePair.await(pair.receiver, receiver::poll);
                assertIs(arrived, type, shape, i);
                arrived.close();
            }
            assertEquals("sender", receiver.senderName());
            DevicePair.awaitTrue(pair.sender, () -> sender.isReady() && told.get() == 300);
            assertEquals(0, pair.senderArena.statistics().liveCount());
            assertEquals(300, pair.sender.statistics().transfers());
            assertEquals(bytes, pair.sender.statistics().transferredByteSize());
            close(pair, sender);
            close(pair, receiver);
            pair.closeArenas();
        }
    }

    /**
     * However far it had driven before: what is taken is released, although the receiver does something else from then on. Tensors that are read in
     * pieces, so that the acknowledgement of the first goes behind the second.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
    void whoTakesTheLastAndDrivesNoMoreHasReleasedAll(int drives) {
        int count = 2;
        Shape shape = Shape.of(16 << 20);
        try (DevicePair pair = new DevicePair(
                DevicePair.options(ArrivalMode.TAIL).withProgress(Progress.callers().withSpins(0)))) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, count);
            DynamicTensorSender sender = sender(pair);
            AtomicInteger released = new AtomicInteger();
            try (Tensor tensor = tensor(pair.senderArena, ElementType.INT8, shape, 1)) {
                for (int i = 0; i < count; i++) {
                    assertEquals(SendResult.SENT, sender.offer(tensor, _ -> released.incrementAndGet()));
                }
            }
            for (int i = 0; i < drives; i++) {
                pair.receiver.awaitActivity(pair.receiver.activity(), 0);
            }
            for (int i = 0; i < count; i++) {
                try (Tensor arrived = receiver.poll(DevicePair.TIMEOUT)) {
                    assertIs(arrived, ElementType.INT8, shape, 1);
                }
            }
            DevicePair.awaitTrue(pair.sender, () -> released.get() == count);
            close(pair, sender);
            close(pair, receiver);
            pair.closeArenas();
        }
    }

    @Test
    void largestRankAndManyElements() {
        try (DevicePair pair = pair()) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 2);
            DynamicTensorSender sender = sender(pair);
            long[] dimensions = new long[Shape.RANK_MAX];
            Arrays.fill(dimensions, 2);
            for (Shape shape : List.of(Shape.of(dimensions), Shape.of(5_000_001))) {
                Tensor tensor = tensor(pair.senderArena, ElementType.UINT8, shape, 1);
                assertEquals(SendResult.SENT, sender.offer(tensor, null));
                Tensor arrived = receiver.poll(DevicePair.TIMEOUT);
                assertIs(arrived, ElementType.UINT8, shape, 1);
                arrived.close();
                tensor.close();
            }
            close(pair, sender);
            close(pair, receiver);
            pair.closeArenas();
        }
    }

    /** The reads of one tensor are several where it is larger than a message. */
    @Test
    void tensorsLargerThanAMessageAreReadInParts() {
        RdmaDeviceOptions options = DevicePair.options(ArrivalMode.AUTO).withProgress(Progress.callers());
        try (DevicePair pair = new DevicePair(
                RdmaDevice.create(options.withName("sender"), smallMessages()),
                RdmaDevice.create(options.withName("receiver"), smallMessages()))) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 2);
            DynamicTensorSender sender = sender(pair);
            for (int size : new int[]{4095, 4096, 4097, 8192, 100_000}) {
                Tensor tensor = tensor(pair.senderArena, ElementType.INT8, Shape.of(size), size);
                assertEquals(SendResult.SENT, sender.offer(tensor, null));
                Tensor arrived = receiver.poll(DevicePair.TIMEOUT);
                assertIs(arrived, ElementType.INT8, Shape.of(size), size);
                arrived.close();
                tensor.close();
            }
            close(pair, sender);
            close(pair, receiver);
            pair.closeArenas();
        }
    }

    /** Until the receiver has read it, the sender's tensor stays; who is not driven reads nothing. */
    @Test
    void isReleasedWhenItIsReadAndNotBefore() {
        try (DevicePair pair = pair()) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 2);
            DynamicTensorSender sender = sender(pair);
            List<Boolean> told = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Tensor tensor = tensor(pair.senderArena, ElementType.INT8, Shape.of(100), i);
                assertEquals(SendResult.SENT, sender.offer(tensor, failure -> told.add(failure == null)));
                tensor.close();
            }
            Tensor third = tensor(pair.senderArena, ElementType.INT8, Shape.of(100), 2);
            assertFalse(sender.isReady());
            assertEquals(SendResult.BACK_PRESSURED, sender.offer(third, null));
            assertEquals(3, pair.senderArena.statistics().liveCount());
            assertEquals(List.of(), told);

            Tensor first = receiver.poll(DevicePair.TIMEOUT);
            assertIs(first, ElementType.INT8, Shape.of(100), 0);
            // Held by the receiver, and no more by the sender.
            DevicePair.awaitTrue(pair.sender, () -> sender.isReady() && told.size() == 2);
            assertEquals(List.of(true, true), told);
            assertEquals(1, pair.senderArena.statistics().liveCount());
            assertEquals(SendResult.SENT, sender.offer(third, null));
            third.close();
            Tensor second = receiver.poll(DevicePair.TIMEOUT);
            Tensor last = receiver.poll(DevicePair.TIMEOUT);
            assertIs(second, ElementType.INT8, Shape.of(100), 1);
            assertIs(last, ElementType.INT8, Shape.of(100), 2);
            first.close();
            second.close();
            last.close();
            close(pair, sender);
            close(pair, receiver);
            pair.closeArenas();
        }
    }

    @Test
    void fullArenaIsSaidAndWaitedFor() {
        try (DevicePair pair = pair()) {
            TensorArena small = TensorArena.create(pair.receiver.slabSource(), 1 << 20, 1 << 20);
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, small, 2);
            DynamicTensorSender sender = sender(pair);
            Tensor tensor = tensor(pair.senderArena, ElementType.INT8, Shape.of(600_000), 1);
            assertEquals(SendResult.SENT, sender.offer(tensor, null));
            assertEquals(SendResult.SENT, sender.offer(tensor, null));
            Tensor first = receiver.poll(DevicePair.TIMEOUT);
            assertFalse(first == null);
            DevicePair.awaitTrue(pair.receiver, () -> {
                assertNull(receiver.poll());
                return receiver.isOutOfMemory();
            });
            OutOfArenaMemoryException e = assertThrows(OutOfArenaMemoryException.class, () -> receiver.poll(SHORT));
            assertTrue(e.getMessage().contains("receiver 'edge': no room for the next tensor, INT8[600000]"),
                    e.getMessage());
            first.close();
            Tensor second = receiver.poll(DevicePair.TIMEOUT);
            assertIs(second, ElementType.INT8, Shape.of(600_000), 1);
            assertFalse(receiver.isOutOfMemory());
            second.close();
            tensor.close();
            close(pair, sender);
            close(pair, receiver);
            small.close();
            pair.closeArenas();
        }
    }

    /** No engine has anything to do when that happens: who waits sleeps until the deadline if he does not look himself. */
    @ParameterizedTest
    @MethodSource("everyWay")
    void whoWaitsForMemoryThatAnotherThreadFreesGoesOn(ArrivalMode mode, Progress progress) {
        try (DevicePair pair = new DevicePair(DevicePair.options(mode).withProgress(progress))) {
            TensorArena small = TensorArena.create(pair.receiver.slabSource(), 1 << 20, 1 << 20);
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, small, 2);
            DynamicTensorSender sender = sender(pair);
            Tensor tensor = tensor(pair.senderArena, ElementType.INT8, Shape.of(600_000), 1);
            assertEquals(SendResult.SENT, sender.offer(tensor, null));
            assertEquals(SendResult.SENT, sender.offer(tensor, null));
            Tensor first = receiver.poll(DevicePair.TIMEOUT);
            Thread user = Thread.ofPlatform().start(() -> {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                first.close();
            });
            Tensor second = whileDriven(pair.sender, () -> receiver.poll(FOR_EVER));
            assertIs(second, ElementType.INT8, Shape.of(600_000), 1);
            join(user);
            second.close();
            tensor.close();
            close(pair, sender);
            close(pair, receiver);
            small.close();
            pair.closeArenas();
        }
    }

    /** Nobody polls; what was offered is read all the same, up to twice the slots, and another sender goes on. */
    @Test
    void senderThatClosesHasItsTensorsRead() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 2);
            AtomicInteger read = new AtomicInteger();
            for (int round = 0; round < 3; round++) {
                DynamicTensorSender sender = sender(pair);
                for (int i = 0; i < 4; i++) {
                    Tensor tensor = tensor(pair.senderArena, ElementType.INT8, Shape.of(10 + i), i);
                    DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, failure -> {
                        assertNull(failure);
                        read.incrementAndGet();
                    }) == SendResult.SENT);
                    tensor.close();
                }
                close(pair, sender);
                assertEquals(4 * (round + 1), read.get());
                assertEquals(0, pair.senderArena.statistics().liveCount());
                assertThrows(IllegalStateException.class, sender::isReady);
                for (int i = 0; i < 4; i++) {
                    Tensor arrived = receiver.poll(DevicePair.TIMEOUT);
                    assertIs(arrived, ElementType.INT8, Shape.of(10 + i), i);
                    arrived.close();
                }
                assertNull(receiver.poll());
            }
            close(pair, receiver);
            close(pair, receiver);
            assertThrows(IllegalStateException.class, receiver::poll);
            pair.closeArenas();
        }
    }

    @Test
    void receiverThatClosesFailsWhatIsNotRead() {
        try (DevicePair pair = pair()) {
            TensorArena small = TensorArena.create(pair.receiver.slabSource(), 1 << 20, 1 << 20);
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, small, 2);
            DynamicTensorSender sender = sender(pair);
            List<String> told = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Tensor tensor = tensor(pair.senderArena, ElementType.INT8, Shape.of(600_000), i);
                assertEquals(SendResult.SENT,
                        sender.offer(tensor, failure -> told.add(failure == null ? "read" : failure.getMessage())));
                tensor.close();
            }
            // The first is read ahead, and nobody takes it; for the second there is no room.
            assertTrue(pair.receiver.capabilities().wakesOnWrite());
            DevicePair.awaitTrue(pair.receiver, () -> small.statistics().liveByteSize() > 600_000);
            close(pair, receiver);
            assertEquals(List.of("read", "sender 'edge': peer receiver closed the receiver"), told);
            assertEquals(0, pair.senderArena.statistics().liveCount());
            assertThrows(TransferException.class, sender::isReady);
            close(pair, sender);
            small.close();
            pair.closeArenas();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TAIL", "IMMEDIATE"})
    void bothEndsHearThatThePeerGaveUp(ArrivalMode mode) {
        try (DevicePair pair = new DevicePair(DevicePair.options(mode))) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 1);
            DynamicTensorSender sender = sender(pair);
            Tensor tensor = tensor(pair.senderArena, ElementType.INT8, Shape.of(100), 0);
            sender.send(tensor, DevicePair.TIMEOUT);
            DevicePair.await(pair.receiver, receiver::poll).close();
            pair.receiver.abort("enough");
            AtomicReference<String> cause = new AtomicReference<>();
            DevicePair.awaitTrue(pair.sender, () -> {
                try {
                    sender.offer(tensor, null);
                    return false;
                } catch (TransferException e) {
                    cause.set(e.getMessage());
                    return true;
                }
            });
            assertTrue(cause.get().contains("enough"), cause.get());
            assertThrows(TransferException.class, () -> receiver.poll(DevicePair.TIMEOUT));
            tensor.close();
            close(pair, sender);
            close(pair, receiver);
            DevicePair.awaitTrue(pair.sender, () -> pair.senderArena.statistics().liveCount() == 0);
            pair.closeArenas();
        }
    }

    /** What the peer was told of, and has not read, stays pinned as long as it could be read, and then fails. */
    @Test
    void offeredTensorsFailWithTheConnection() {
        try (DevicePair pair = pair()) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 4);
            DynamicTensorSender sender = sender(pair);
            List<String> told = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Tensor tensor = tensor(pair.senderArena, ElementType.INT8, Shape.of(100), i);
                sender.offer(tensor, failure -> told.add(failure == null ? "read" : "failed"));
                tensor.close();
            }
            assertEquals(3, pair.senderArena.statistics().liveCount());
            pair.sender.abort("no more");
            DevicePair.awaitTrue(pair.sender, () -> told.size() == 3);
            assertEquals(List.of("failed", "failed", "failed"), told);
            // As soon as the peer has no queue pair either.
            DevicePair.awaitTrue(pair.sender, () -> pair.senderArena.statistics().liveCount() == 0);
            close(pair, sender);
            close(pair, receiver);
            pair.closeArenas();
        }
    }

    @Test
    void eachKindOfReceiverWantsItsKindOfSender() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            DynamicTensorReceiver any = pair.receiver.dynamicReceiver("any", pair.receiverArena, 1);
            TensorReceiver one = pair.receiver.receiver("one", pair.receiverArena, ElementType.INT64, Shape.of(22), 1);
            TransferException e = assertThrows(TransferException.class,
                    () -> pair.channel().sender("any", ElementType.INT64, Shape.of(22), DevicePair.TIMEOUT));
            assertTrue(e.getMessage().contains("takes tensors of any shape: use channel.dynamicSender"),
                    e.getMessage());
            e = assertThrows(TransferException.class, () -> pair.channel().dynamicSender("one", DevicePair.TIMEOUT));
            assertTrue(e.getMessage().contains("takes tensors of one shape, INT64[22]: use channel.sender"),
                    e.getMessage());
            assertThrows(IllegalArgumentException.class,
                    () -> pair.receiver.dynamicReceiver("one", pair.receiverArena, 1));
            assertThrows(IllegalArgumentException.class,
                    () -> pair.receiver.dynamicReceiver("other", TensorArena.create(new OffHeapSlabSource(), 1 << 20,
                            1 << 20), 1));
            any.close();
            one.close();
            pair.closeArenas();
        }
    }

    @Test
    void ordinaryTensorsAreCopied() {
        try (DevicePair pair = pair();
                TensorArena ordinary = TensorArena.create(new OffHeapSlabSource(), 1 << 20, 1 << 20)) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 1);
            DynamicTensorSender sender = sender(pair);
            Tensor tensor = tensor(ordinary, ElementType.FLOAT64, Shape.of(5, 5), 3);
            assertFalse(sender.isRegistered(tensor));
            assertThrows(IllegalArgumentException.class, () -> sender.offer(tensor, null));
            assertEquals(SendResult.SENT, sender.offerCopy(tensor, pair.senderArena, null));
            assertEquals(SendResult.BACK_PRESSURED, sender.offerCopy(tensor, pair.senderArena, null));
            Tensor arrived = receiver.poll(DevicePair.TIMEOUT);
            assertNotNull(arrived);
            assertIs(arrived, ElementType.FLOAT64, Shape.of(5, 5), 3);
            assertEquals(1, pair.sender.statistics().copies());
            arrived.close();
            tensor.close();
            close(pair, sender);
            close(pair, receiver);
            pair.closeArenas();
        }
    }

    /** As it is for a second receiver. */
    @Test
    void whatTheCallerHasCopiedCountsOnce() {
        try (DevicePair pair = pair()) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 1);
            DynamicTensorSender sender = sender(pair);
            Tensor copy = tensor(pair.senderArena, ElementType.FLOAT64, Shape.of(5, 5), 3);
            assertEquals(SendResult.SENT, sender.offerCopied(copy, null));
            assertEquals(SendResult.BACK_PRESSURED, sender.offerCopied(copy, null));
            assertIsTaken(receiver);
            DevicePair.awaitTrue(pair.sender, () -> sender.offer(copy, null) == SendResult.SENT);
            assertIsTaken(receiver);
            assertEquals(1, pair.sender.statistics().copies());
            assertEquals(200, pair.sender.statistics().copiedByteSize());
            copy.close();
            close(pair, sender);
            close(pair, receiver);
            pair.closeArenas();
        }
    }

    private static void assertIsTaken(DynamicTensorReceiver receiver) {
        Tensor arrived = receiver.poll(DevicePair.TIMEOUT);
        assertNotNull(arrived);
        assertIs(arrived, ElementType.FLOAT64, Shape.of(5, 5), 3);
        arrived.close();
    }

    /** Some rows go as they are; columns are gathered by a copy, which counts. */
    @Test
    void partsOfATensorArrive() {
        try (DevicePair pair = pair()) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 1);
            DynamicTensorSender sender = sender(pair);
            Tensor matrix = ViewTransfer.matrix(pair, 6, 5);
            TensorView rows = TensorView.of(matrix, matrix.layout().narrowed(0, 2, 3));
            TensorView columns = TensorView.of(matrix, matrix.layout().narrowed(1, 1, 2));
            TensorView nothing = TensorView.of(matrix, matrix.layout().narrowed(1, 1, 0));
            matrix.close();
            for (TensorView view : List.of(rows, columns, nothing)) {
                DevicePair.awaitTrue(pair.sender, sender::isReady);
                if (view.isContiguous()) {
                    assertEquals(SendResult.SENT, sender.offer(view, null));
                    assertEquals(SendResult.BACK_PRESSURED, sender.offer(view, null));
                } else {
                    IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                            () -> sender.offer(view, null));
                    assertTrue(e.getMessage().contains("runs=6 of byteSize=8"), e.getMessage());
                    assertEquals(SendResult.SENT, sender.offerCopy(view, pair.senderArena, null));
                }
                ViewTransfer.assertArrived(receiver.poll(DevicePair.TIMEOUT), view);
                view.close();
            }
            assertEquals(1, pair.sender.statistics().copies());
            assertThrows(IllegalStateException.class, () -> sender.offer(rows, null));
            close(pair, sender);
            close(pair, receiver);
            pair.closeArenas();
        }
    }

    /** Memory that comes back is lent again; it makes room for another shape; the last of it is freed when it comes back. */
    @Test
    void whatWasLentIsLentAgain() {
        try (DevicePair pair = pair()) {
            TensorArena small = TensorArena.create(pair.receiver.slabSource(), 1 << 20, 1 << 20);
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, small, 2);
            DynamicTensorSender sender = sender(pair);
            TensorLease lease = new TensorLease();
            List<Long> addresses = new ArrayList<>();
            for (Shape shape : List.of(Shape.of(600_000), Shape.of(600_000), Shape.of(700_000), Shape.of(0))) {
                Tensor tensor = tensor(pair.senderArena, ElementType.INT8, shape, 3);
                DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, null) == SendResult.SENT);
                assertTrue(receiver.poll(lease, DevicePair.TIMEOUT));
                assertEquals(shape, lease.tensor().shape());
                assertEquals(-1, lease.memory().mismatch(tensor.memory()));
                assertThrows(IllegalStateException.class, () -> lease.tensor().memory(), "the holder's alone");
                addresses.add(lease.address());
                assertEquals(2, small.statistics().liveCount(), "it and the records");
                if (shape.elementCount() > 0) {
                    lease.close();
                }
                tensor.close();
            }
            assertEquals(addresses.get(0), addresses.get(1));
            Tensor last = tensor(pair.senderArena, ElementType.INT8, Shape.of(5), 3);
            DevicePair.awaitTrue(pair.sender, () -> sender.offer(last, null) == SendResult.SENT);
            assertThrows(IllegalStateException.class, () -> receiver.poll(lease, DevicePair.TIMEOUT), "it holds one");
            Tensor arrived = receiver.poll(DevicePair.TIMEOUT);
            assertIs(arrived, ElementType.INT8, Shape.of(5), 3);
            arrived.close();
            last.close();
            close(pair, sender);
            close(pair, receiver);
            assertEquals(1, small.statistics().liveCount(), "what is lent");
            lease.close();
            small.close();
            pair.closeArenas();
        }
    }

    /** Whoever asks has room for the next tensor then, though nothing else has driven the sender's device since. */
    @Test
    void whoAsksWhetherItIsReadyHasWhatWasRead() {
        try (DevicePair pair = pair();
                TensorArena narrow = TensorArena.create(pair.sender.readableSlabSource(), 1 << 20, 1 << 20);
                DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 4)) {
            Shape most = Shape.of((1 << 20) * 3 / 4);
            DynamicTensorSender sender = sender(pair);
            for (int i = 0; i < 3; i++) {
                Tensor tensor = narrow.allocate(ElementType.UINT8, most);
                assertEquals(SendResult.SENT, sender.offer(tensor, null));
                tensor.close();
                assertNull(narrow.tryAllocate(ElementType.UINT8, most), "it is not read yet");
                DevicePair.await(pair.receiver, receiver::poll).close();
                assertTrue(sender.isReady());
            }
            narrow.allocate(ElementType.UINT8, most).close();
            close(pair, sender);
        }
    }

    /** Memory that was imported to send from, which peers may not read. */
    @Test
    void whatPeersMayNotReadIsRefused() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO));
                Arena memory = Arena.ofShared()) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 1);
            DynamicTensorSender sender = sender(pair);
            MemoryRegion region = pair.sender.importRegion(new ForeignMemory.Host(memory.allocate(4096, 4096)),
                    Set.of());
            Tensor tensor = Tensor.over(region, 0, ElementType.INT8, Shape.of(10), () -> {});
            assertFalse(sender.isRegistered(tensor));
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> sender.offer(tensor, null));
            assertTrue(e.getMessage().contains("import its memory with REMOTE_READ, or use offerCopy"), e.getMessage());
            tensor.close();
            close(pair, sender);
            close(pair, receiver);
            region.close();
            pair.closeArenas();
        }
    }
}
