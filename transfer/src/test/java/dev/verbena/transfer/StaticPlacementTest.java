package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

class StaticPlacementTest {
    private static final ElementType TYPE = ElementType.FLOAT32;

    private static float first(Tensor tensor) {
        return tensor.memory().get(ValueLayout.JAVA_FLOAT, 0);
    }

    private static float last(Tensor tensor) {
        return tensor.memory().getAtIndex(ValueLayout.JAVA_FLOAT, tensor.shape().elementCount() - 1);
    }

    private static void assertArrivesWhole(DevicePair pair, TensorSender sender, TensorReceiver receiver,
            Tensor tensor) {
        DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, null) == SendResult.SENT);
        Tensor arrived = DevicePair.await(pair.receiver, receiver::poll);
        assertEquals(-1, arrived.memory().mismatch(tensor.memory()));
        arrived.close();
        tensor.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"TAIL", "IMMEDIATE"})
    void tensorsArriveInOrderAndWhole(ArrivalMode mode) {
        try (DevicePair pair = new DevicePair(DevicePair.options(mode))) {
            Shape shape = Shape.of(1001);
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, shape, 2);
            TensorSender sender = pair.channel().sender("edge", TYPE, shape, DevicePair.TIMEOUT);
            assertEquals(mode, receiver.arrivalMode());
            assertEquals(mode, sender.arrivalMode());
            assertEquals("sender", receiver.senderName());
            assertEquals("receiver", sender.receiverName());
            for (int i = 0; i < 100; i++) {
                Tensor tensor = pair.floats(1001, i);
                DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, null) == SendResult.SENT);
                tensor.close();
                Tensor arrived = DevicePair.await(pair.receiver, receiver::poll);
                assertEquals(i, first(arrived));
                assertEquals(i + 1000, last(arrived));
                arrived.close();
            }
            assertEquals(100, pair.sender.statistics().transfers());
            assertEquals(400_400, pair.sender.statistics().transferredByteSize());
            assertEquals(0, pair.sender.statistics().copies());
            assertEquals(1, pair.sender.statistics().registeredShare());
            assertTrue(pair.sender.statistics().registrations() > 0);
            DevicePair.awaitTrue(pair.sender, () -> pair.senderArena.statistics().liveCount() == 0);
            receiver.close();
            pair.closeArenas();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TAIL", "IMMEDIATE"})
    void slowReceiverIsBackPressure(ArrivalMode mode) {
        for (int depth = 1; depth <= 3; depth++) {
            try (DevicePair pair = new DevicePair(DevicePair.options(mode))) {
                Shape shape = Shape.of(5);
                TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, shape, depth);
                TensorSender sender = pair.channel().sender("edge", TYPE, shape, DevicePair.TIMEOUT);
                List<Tensor> held = new ArrayList<>();
                for (int i = 0; i < depth; i++) {
                    Tensor tensor = pair.floats(5, 10 * i);
                    assertEquals(SendResult.SENT, sender.offer(tensor, null));
                    tensor.close();
                    held.add(DevicePair.await(pair.receiver, receiver::poll));
                }
                Tensor more = pair.floats(5, 99);
                assertEquals(SendResult.BACK_PRESSURED, sender.offer(more, null));
                assertEquals(SendResult.BACK_PRESSURED, sender.offerCopy(more, pair.senderArena, null));
                assertNull(receiver.poll());
                for (int i = 0; i < depth; i++) {
                    assertEquals(10 * i, first(held.get(i)), "a held slot was overwritten");
                }
                held.get(0).close();
                DevicePair.awaitTrue(pair.sender, () -> sender.offer(more, null) == SendResult.SENT);
                Tensor arrived = DevicePair.await(pair.receiver, receiver::poll);
                assertEquals(99, first(arrived));
                more.close();
                arrived.close();
                held.subList(1, depth).forEach(Tensor::close);
            }
        }
    }

    /** Where callers drive: what the receiver's thread does next goes first, but half of the slots are never kept back. */
    @ParameterizedTest
    @EnumSource(names = {"TAIL", "IMMEDIATE"})
    void theSenderIsToldOfAFewFreeSlotsWithWhatTheReceiverDoesNext(ArrivalMode mode) {
        int depth = 8;
        try (DevicePair pair = new DevicePair(DevicePair.options(mode).withProgress(Progress.callers()))) {
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, Shape.of(5), depth);
            TensorSender sender = DynamicAllocationTest.whileDriven(pair.receiver,
                    () -> pair.channel().sender("edge", TYPE, Shape.of(5), DevicePair.TIMEOUT));
            Tensor tensor = pair.floats(5, 1);
            assertEquals(depth, offered(sender, tensor));
            List<Tensor> arrived = new ArrayList<>();
            for (int i = 0; i < depth; i++) {
                arrived.add(DevicePair.await(pair.receiver, receiver::poll));
            }
            arrived.subList(0, depth / 2 - 1).forEach(Tensor::close);
            assertEquals(0, offered(sender, tensor), "told of less than half");
            arrived.get(depth / 2 - 1).close();
            assertEquals(depth / 2, offered(sender, tensor), "told of half");
            arrived.get(depth / 2).close();
            assertEquals(0, offered(sender, tensor), "told of one");
            pair.receiver.progress();
            assertEquals(1, offered(sender, tensor), "what the receiver's thread did next");
            arrived.subList(depth / 2 + 1, depth).forEach(Tensor::close);
            tensor.close();
        }
    }

    /** How many offers are taken. */
    private static int offered(TensorSender sender, Tensor tensor) {
        int count = 0;
        while (sender.offer(tensor, null) == SendResult.SENT) {
            count++;
        }
        return count;
    }

    @Test
    void slotsConsumedOutOfOrderAreReusedInOrder() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            Shape shape = Shape.of(1);
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, shape, 2);
            TensorSender sender = pair.channel().sender("edge", TYPE, shape, DevicePair.TIMEOUT);
            Tensor tensor = pair.floats(1, 7);
            assertEquals(SendResult.SENT, sender.offer(tensor, null));
            assertEquals(SendResult.SENT, sender.offer(tensor, null));
            Tensor one = DevicePair.await(pair.receiver, receiver::poll);
            Tensor two = DevicePair.await(pair.receiver, receiver::poll);
            two.close();
            // The call is answered by the poller that would have written an acknowledgement before.
            assertThrows(TransferException.class,
                    () -> pair.sender.call(pair.receiver.endpoint(), "none", new byte[0], DevicePair.TIMEOUT));
            assertFalse(sender.isReady(), "slot 0 is still held");
            one.close();
            DevicePair.awaitTrue(pair.sender, sender::isReady);
            assertEquals(SendResult.SENT, sender.offer(tensor, null));
            DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, null) == SendResult.SENT);
            DevicePair.await(pair.receiver, receiver::poll).close();
            DevicePair.await(pair.receiver, receiver::poll).close();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, 3, 15, 16, 17})
    void anySizeArrives(long count) {
        for (ArrivalMode mode : List.of(ArrivalMode.TAIL, ArrivalMode.IMMEDIATE)) {
            try (DevicePair pair = new DevicePair(DevicePair.options(mode))) {
                Shape shape = Shape.of(count);
                TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, ElementType.UINT8, shape,
                        1);
                TensorSender sender = pair.channel().sender("edge", ElementType.UINT8, shape, DevicePair.TIMEOUT);
                for (int round = 1; round <= 3; round++) {
                    Tensor tensor = pair.senderArena.allocate(ElementType.UINT8, shape);
                    tensor.memory().fill((byte) round);
                    assertArrivesWhole(pair, sender, receiver, tensor);
                }
            }
        }
    }

    @Test
    void tensorLargerThanTheDevicesMessagesGoesInPieces() {
        for (ArrivalMode mode : List.of(ArrivalMode.TAIL, ArrivalMode.IMMEDIATE)) {
            RdmaDeviceOptions options = DevicePair.options(mode);
            RdmaDevice small = RdmaDevice.create(options.withName("sender"),
                    new SmallMessageFabric(
                            Fabrics.select("shm", NetworkOptions.defaults()).open(NetworkOptions.defaults()), 1000));
            try (DevicePair pair = new DevicePair(small, RdmaDevice.create(options.withName("receiver")))) {
                Shape shape = Shape.of(10_001);
                TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, shape, 2);
                TensorSender sender = pair.channel().sender("edge", TYPE, shape, DevicePair.TIMEOUT);
                for (int i = 0; i < 6; i++) {
                    assertArrivesWhole(pair, sender, receiver, pair.floats(10_001, i));
                }
            }
        }
    }

    @Test
    void unregisteredTensorIsCopiedOnRequestOnly() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO));
                TensorArena ordinary = TensorArena.create(new OffHeapSlabSource(), 1 << 16, 1 << 20)) {
            Shape shape = Shape.of(3);
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, shape, 1);
            TensorSender sender = pair.channel().sender("edge", TYPE, shape, DevicePair.TIMEOUT);
            Tensor tensor = ordinary.allocate(TYPE, shape);
            tensor.memory().fill((byte) 0).set(ValueLayout.JAVA_FLOAT, 0, 42f);
            assertFalse(sender.isRegistered(tensor));
            String message = assertThrows(IllegalArgumentException.class, () -> sender.offer(tensor, null))
                    .getMessage();
            assertTrue(message.contains("slabSource"), message);
            assertEquals(SendResult.SENT, sender.offerCopy(tensor, pair.senderArena, null));
            tensor.close();
            Tensor arrived = DevicePair.await(pair.receiver, receiver::poll);
            assertEquals(42f, first(arrived));
            arrived.close();
            assertEquals(1, pair.sender.statistics().copies());
            assertEquals(0, pair.sender.statistics().registeredShare());
            assertEquals(12, pair.sender.statistics().copiedByteSize());
            DevicePair.awaitTrue(pair.sender, () -> pair.senderArena.statistics().liveCount() == 0);
        }
    }

    /** What the caller has copied for two receivers is a copy for one of them. */
    @Test
    void aCopyForSeveralCountsOnce() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO));
                TensorArena ordinary = TensorArena.create(new OffHeapSlabSource(), 1 << 16, 1 << 20)) {
            Shape shape = Shape.of(3);
            TensorReceiver one = pair.receiver.receiver("one", pair.receiverArena, TYPE, shape, 1);
            TensorReceiver other = pair.receiver.receiver("other", pair.receiverArena, TYPE, shape, 1);
            TensorSender toOne = pair.channel().sender("one", TYPE, shape, DevicePair.TIMEOUT);
            TensorSender toOther = pair.channel().sender("other", TYPE, shape, DevicePair.TIMEOUT);
            Tensor tensor = ordinary.allocate(TYPE, shape);
            assertThrows(IllegalArgumentException.class, () -> toOne.offerCopied(tensor, null));
            tensor.close();
            Tensor copy = pair.senderArena.allocate(TYPE, shape);
            copy.memory().fill((byte) 0).set(ValueLayout.JAVA_FLOAT, 0, 42f);
            assertEquals(SendResult.SENT, toOne.offerCopied(copy, null));
            assertEquals(SendResult.BACK_PRESSURED, toOne.offerCopied(copy, null));
            assertEquals(SendResult.SENT, toOther.offer(copy, null));
            copy.close();
            for (TensorReceiver receiver : List.of(one, other)) {
                Tensor arrived = DevicePair.await(pair.receiver, receiver::poll);
                assertEquals(42f, first(arrived));
                arrived.close();
            }
            assertEquals(1, pair.sender.statistics().copies());
            assertEquals(12, pair.sender.statistics().copiedByteSize());
        }
    }

    @Test
    void theTensorStaysPinnedUntilItIsWritten() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            Shape shape = Shape.of(3);
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, shape, 1);
            TensorSender sender = pair.channel().sender("edge", TYPE, shape, DevicePair.TIMEOUT);
            Tensor tensor = pair.floats(3, 1);
            AtomicInteger pinsAtCallback = new AtomicInteger(-1);
            AtomicReference<TransferException> failure = new AtomicReference<>();
            sender.offer(tensor, e -> {
                failure.set(e);
                pinsAtCallback.set(tensor.pins());
            });
            DevicePair.await(pair.receiver, receiver::poll).close();
            DevicePair.awaitTrue(pair.sender, () -> pinsAtCallback.get() >= 0);
            assertEquals(0, pinsAtCallback.get());
            assertNull(failure.get());
            tensor.close();
        }
    }

    @Test
    void closedEndsLeaveNothingPinned() {
        for (int round = 0; round < 50; round++) {
            try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
                Shape shape = Shape.of(100_000);
                TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, shape, 1);
                TensorSender sender = pair.channel().sender("edge", TYPE, shape, DevicePair.TIMEOUT);
                Tensor tensor = pair.senderArena.allocate(TYPE, shape);
                sender.offer(tensor, null);
                tensor.close();
                DevicePair.await(pair.receiver, receiver::poll).close();
                sender.close();
                receiver.close();
                pair.closeArenas();
            }
        }
    }

    @Test
    void wrongEndsAreRefusedByName() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            Shape shape = Shape.of(3);
            RdmaChannel channel = pair.channel();
            TransferException absent = assertThrows(TransferException.class,
                    () -> channel.sender("edge", TYPE, shape, Duration.ofMillis(50)));
            assertTrue(absent.getMessage().contains("no receiver 'edge'"), absent.getMessage());
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, shape, 1);
            assertThrows(IllegalArgumentException.class,
                    () -> pair.receiver.receiver("edge", pair.receiverArena, TYPE, shape, 1));
            TransferException other = assertThrows(TransferException.class,
                    () -> channel.sender("edge", TYPE, Shape.of(4), DevicePair.TIMEOUT));
            assertTrue(other.getMessage().contains("takes FLOAT32[3], not FLOAT32[4]"), other.getMessage());
            TensorSender sender = channel.sender("edge", TYPE, shape, DevicePair.TIMEOUT);
            TransferException second = assertThrows(TransferException.class,
                    () -> channel.sender("edge", TYPE, shape, DevicePair.TIMEOUT));
            assertTrue(second.getMessage().contains("already has a sender: sender"), second.getMessage());
            Tensor wrong = pair.floats(4, 0);
            assertThrows(IllegalArgumentException.class, () -> sender.offer(wrong, null));
            sender.close();
            Tensor right = pair.floats(3, 0);
            assertThrows(IllegalStateException.class, () -> sender.offer(right, null));
            receiver.close();
            assertThrows(IllegalStateException.class, receiver::poll);
            try (TensorArena ordinary = TensorArena.create(new OffHeapSlabSource(), 1 << 16, 1 << 20)) {
                assertThrows(IllegalArgumentException.class,
                        () -> pair.receiver.receiver("other", ordinary, TYPE, shape, 1));
            }
        }
    }

    /** Two receivers in one block of the caller's, each of which closes its part; also one that is refused. */
    @Test
    void slotsMayLieInMemoryOfTheCaller() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            Shape shape = Shape.of(3);
            long byteSize = RdmaDevice.receiverBufferByteSize(TYPE, shape, 2);
            long stride = Math.ceilDiv(byteSize, 64L) * 64;
            AtomicInteger closed = new AtomicInteger();
            Tensor block = pair.receiverArena.allocate(ElementType.UINT8, Shape.of(2 * stride));
            List<TensorReceiver> receivers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                receivers.add(pair.receiver.receiver("edge" + i, part(block, i * stride, byteSize, closed), TYPE,
                        shape, 2, ""));
            }
            for (int i = 0; i < 2; i++) {
                TensorSender sender = pair.channel().sender("edge" + i, TYPE, shape, DevicePair.TIMEOUT);
                Tensor tensor = pair.floats(3, 10 * i);
                assertEquals(SendResult.SENT, sender.offer(tensor, null));
                tensor.close();
                Tensor arrived = DevicePair.await(pair.receiver, receivers.get(i)::poll);
                assertEquals(10 * i, first(arrived));
                assertTrue(arrived.address() >= block.address() + i * stride
                        && arrived.address() < block.address() + (i + 1) * stride, "within its part");
                arrived.close();
                sender.close();
            }
            String message = assertThrows(IllegalArgumentException.class, () -> pair.receiver.receiver("small",
                    part(block, 0, byteSize - 1, closed), TYPE, shape, 2, "")).getMessage();
            assertTrue(message.contains("receiver 'small': its slots need byteSize=" + byteSize), message);
            assertEquals(1, closed.get(), "who is refused closes what it was given");
            assertThrows(IllegalArgumentException.class, () -> pair.receiver.receiver("none",
                    part(block, 0, byteSize, closed), TYPE, shape, 0, ""));
            assertThrows(IllegalArgumentException.class, () -> pair.receiver.receiver("edge0",
                    part(block, 0, byteSize, closed), TYPE, shape, 2, ""));
            assertEquals(3, closed.get());
            receivers.forEach(TensorReceiver::close);
            DevicePair.awaitTrue(pair.receiver, () -> closed.get() == 5);
            block.close();
        }
    }

    private static Tensor part(Tensor block, long offset, long byteSize, AtomicInteger closed) {
        return Tensor.over(block.slab(), block.slabOffset() + offset, ElementType.UINT8, Shape.of(byteSize),
                closed::incrementAndGet);
    }

    @Test
    void bothEndsLearnThatThePeerGaveUpAndWhy() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            Shape shape = Shape.of(3);
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, shape, 1);
            TensorSender sender = pair.channel().sender("edge", TYPE, shape, DevicePair.TIMEOUT);
            AtomicReference<String> lost = new AtomicReference<>();
            pair.receiver.onPeerLost(lost::set);
            pair.sender.abort("lost peer worker:7");
            DevicePair.await(pair.receiver, lost::get);
            assertTrue(lost.get().contains("sender") && lost.get().contains("worker:7"), lost.get());
            TransferException e = assertThrows(TransferException.class,
                    () -> DevicePair.await(pair.receiver, receiver::poll));
            assertTrue(e.getMessage().contains("edge") && e.getMessage().contains("worker:7"), e.getMessage());
            Tensor tensor = pair.floats(3, 0);
            TransferException s = assertThrows(TransferException.class, () -> DevicePair.awaitTrue(pair.sender, () -> {
                sender.offer(tensor, null);
                return false;
            }));
            assertTrue(s.getMessage().contains("edge"), s.getMessage());
            tensor.close();
        }
    }
}
