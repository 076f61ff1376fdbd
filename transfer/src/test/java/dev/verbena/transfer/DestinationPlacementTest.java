package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;
import dev.verbena.memory.TensorView;

/** A tensor is computed in the receiver's slot, and nothing is moved; whoever ends meanwhile, memory is not given to others before it is closed. */
class DestinationPlacementTest {
    private static final ElementType TYPE = ElementType.FLOAT32;
    private static final Shape SHAPE = Shape.of(1001);

    private static void fill(Tensor tensor, float first) {
        for (long i = 0; i < 1001; i++) {
            tensor.memory().setAtIndex(ValueLayout.JAVA_FLOAT, i, first + i);
        }
    }

    private static void assertArrives(DevicePair pair, TensorReceiver receiver, float first) {
        try (Tensor arrived = DevicePair.await(pair.receiver, receiver::poll)) {
            for (long i = 0; i < 1001; i++) {
                assertEquals(first + i, arrived.memory().getAtIndex(ValueLayout.JAVA_FLOAT, i));
            }
        }
    }

    private static TensorReceiver receiver(DevicePair pair, int depth) {
        return pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, depth);
    }

    private static TensorSender sender(DevicePair pair) {
        return pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT);
    }

    private static Tensor placed(DevicePair pair, TensorSender sender) {
        return DevicePair.await(pair.sender, () -> sender.place(pair.senderArena));
    }

    @ParameterizedTest
    @EnumSource(names = {"TAIL", "IMMEDIATE"})
    void itArrivesWhereItWasComputedAndNoByteIsMoved(ArrivalMode mode) {
        try (DevicePair pair = new DevicePair(DevicePair.options(mode))) {
            TensorReceiver receiver = receiver(pair, 2);
            TensorSender sender = sender(pair);
            assertTrue(sender.placesTensors());
            TensorLease lease = new TensorLease();
            for (int i = 0; i < 20; i++) {
                AtomicReference<Object> end = new AtomicReference<>();
                if (i % 2 == 0) {
                    Tensor tensor = placed(pair, sender);
                    assertTrue(sender.isRegistered(tensor));
                    fill(tensor, i);
                    assertEquals(SendResult.SENT, sender.offer(tensor, e -> end.set(e == null ? "done" : e)));
                    tensor.close();
                } else {
                    DevicePair.awaitTrue(pair.sender, () -> sender.place(lease));
                    for (long j = 0; j < 1001; j++) {
                        lease.memory().setAtIndex(ValueLayout.JAVA_FLOAT, j, i + j);
                    }
                    assertEquals(SendResult.SENT, sender.offer(lease, e -> end.set(e == null ? "done" : e)));
                    lease.close();
                }
                assertArrives(pair, receiver, i);
                assertEquals("done", DevicePair.await(pair.sender, end::get));
            }
            TransferStatistics sent = pair.sender.transferStatistics().getFirst();
            assertEquals(20, sent.tensors());
            assertEquals(20 * 4004, sent.byteSize());
            assertEquals(0, sent.fabricByteSize());
            assertEquals(0, sent.stagedByteSize());
            sender.close();
            receiver.close();
            pair.closeArenas();
        }
    }

    @Test
    void placedAndOtherTensorsGoInOneOrder() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            TensorReceiver receiver = receiver(pair, 3);
            TensorSender sender = sender(pair);
            for (int i = 0; i < 12; i++) {
                if (i % 3 == 0) {
                    try (Tensor tensor = pair.floats(1001, i)) {
                        DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, null) == SendResult.SENT);
                    }
                } else {
                    try (Tensor tensor = placed(pair, sender)) {
                        fill(tensor, i);
                        sender.send(tensor, DevicePair.TIMEOUT);
                    }
                }
                if (i % 3 == 2) {
                    assertArrives(pair, receiver, i - 2);
                    assertArrives(pair, receiver, i - 1);
                    assertArrives(pair, receiver, i);
                }
            }
        }
    }

    @Test
    void slotsThatAreInUseAtEitherEndAreBackPressure() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            TensorReceiver receiver = receiver(pair, 1);
            TensorSender sender = sender(pair);
            Tensor first = placed(pair, sender);
            fill(first, 1);
            assertEquals(SendResult.SENT, sender.offer(first, null));
            assertNull(sender.place(pair.senderArena), "the receiver has not consumed it");
            assertArrives(pair, receiver, 1);
            assertNull(sender.place(pair.senderArena), "it is still open here");
            assertFalse(sender.place(new TensorLease()));
            first.close();
            Tensor second = placed(pair, sender);
            fill(second, 2);
            assertEquals(SendResult.SENT, sender.offer(second, null));
            second.close();
            assertArrives(pair, receiver, 2);
            assertTrue(pair.sender.transferStatistics().getFirst().backPressured() >= 3);
        }
    }

    @Test
    void oneAtATimeAndEachOnce() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            TensorReceiver receiver = receiver(pair, 3);
            TensorSender sender = sender(pair);
            Tensor first = placed(pair, sender);
            assertThrows(IllegalStateException.class, () -> sender.place(pair.senderArena));
            assertThrows(IllegalStateException.class, () -> sender.place(new TensorLease()));
            Tensor other = pair.floats(1001, 0);
            assertThrows(IllegalStateException.class, () -> sender.offer(other, null));
            assertThrows(IllegalStateException.class, () -> sender.offerCopy(other, pair.senderArena, null));
            assertThrows(IllegalArgumentException.class, () -> {
                try (TensorView view = TensorView.of(first, first.layout())) {
                    sender.offer(view, null);
                }
            });
            assertThrows(IllegalStateException.class, sender::close, "a tensor is open");
            fill(first, 5);
            assertEquals(SendResult.SENT, sender.offer(first, null));
            String twice = assertThrows(IllegalStateException.class, () -> sender.offer(first, null)).getMessage();
            assertTrue(twice.contains("sent once"), twice);
            assertArrives(pair, receiver, 5);
            first.close();
            assertThrows(IllegalStateException.class, () -> sender.offer(first, null), "closed");
            Tensor unsent = placed(pair, sender);
            unsent.close();
            assertEquals(SendResult.SENT, sender.offer(other, null));
            assertArrives(pair, receiver, 0);
            other.close();
            sender.close();
            assertThrows(IllegalStateException.class, () -> sender.place(pair.senderArena));
        }
    }

    @Test
    void aReceiverThatClosesWaitsForWhoComputes() throws Exception {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            TensorReceiver receiver = receiver(pair, 1);
            TensorSender sender = sender(pair);
            Tensor tensor = placed(pair, sender);
            CompletableFuture<Void> closing = CompletableFuture.runAsync(receiver::close);
            TransferException e = assertThrows(TransferException.class, () -> DevicePair.awaitTrue(pair.sender, () -> {
                sender.isReady();
                return false;
            }));
            assertTrue(e.getMessage().contains("closed the receiver"), e.getMessage());
            fill(tensor, 1);
            assertTrue(pair.receiverArena.statistics().liveCount() > 0, "its memory was given back");
            assertThrows(TransferException.class, () -> sender.offer(tensor, null));
            tensor.close();
            closing.get();
            assertEquals(0, pair.receiverArena.statistics().liveCount());
        }
    }

    @Test
    void whatIsPlacedOutlivesTheConnectionAndThePeersMemoryWaitsForIt() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            TensorReceiver receiver = receiver(pair, 1);
            TensorSender sender = sender(pair);
            Tensor tensor = placed(pair, sender);
            fill(tensor, 1);
            pair.receiver.abort("it has had enough");
            TransferException e = assertThrows(TransferException.class, () -> DevicePair.awaitTrue(pair.sender, () -> {
                sender.isReady();
                return false;
            }));
            assertTrue(e.getMessage().contains("it has had enough"), e.getMessage());
            receiver.close();
            assertTrue(pair.receiverArena.statistics().liveCount() > 0, "its memory was given back");
            fill(tensor, 2);
            assertEquals(2, tensor.memory().get(ValueLayout.JAVA_FLOAT, 0));
            assertThrows(TransferException.class, () -> sender.offer(tensor, null));
            sender.close();
            fill(tensor, 3);
            tensor.close();
            DevicePair.awaitTrue(pair.receiver, () -> pair.receiverArena.statistics().liveCount() == 0);
            pair.closeArenas();
        }
    }

    @Test
    void aFabricThatMapsNothingGivesATensorOfTheArena() {
        RdmaDeviceOptions options = DevicePair.options(ArrivalMode.AUTO);
        RdmaDevice without = RdmaDevice.create(options.withName("sender"),
                new SmallMessageFabric(
                        Fabrics.select("shm", NetworkOptions.defaults()).open(NetworkOptions.defaults()), 1 << 20));
        try (DevicePair pair = new DevicePair(without, RdmaDevice.create(options.withName("receiver")))) {
            TensorReceiver receiver = receiver(pair, 1);
            TensorSender sender = sender(pair);
            assertFalse(sender.placesTensors());
            String message = assertThrows(UnsupportedOperationException.class, () -> sender.place(new TensorLease()))
                    .getMessage();
            assertTrue(message.contains("place(arena)"), message);
            Tensor tensor = sender.place(pair.senderArena);
            assertNotNull(tensor);
            assertSame(tensor.slab(), pair.senderArena.allocate(TYPE, SHAPE).slab());
            fill(tensor, 7);
            assertEquals(SendResult.SENT, sender.offer(tensor, null));
            tensor.close();
            assertNull(sender.place(pair.senderArena), "no slot is free");
            assertArrives(pair, receiver, 7);
            assertEquals(List.of(4004L),
                    pair.sender.transferStatistics().stream().map(TransferStatistics::fabricByteSize).toList());
        }
    }
}
