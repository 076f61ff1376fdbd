package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLayout;
import dev.verbena.memory.TensorView;

/** Views are sent as tensors are; what is not contiguous is gathered by the device, not by the CPU. */
class ViewTransferTest {
    private static final ElementType TYPE = ElementType.FLOAT32;

    @ParameterizedTest
    @EnumSource(names = {"TAIL", "IMMEDIATE"})
    void viewsArriveWhole(ArrivalMode mode) {
        try (DevicePair pair = new DevicePair(DevicePair.options(mode))) {
            ViewTransfer.assertArrive(pair, 12, 10);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TAIL", "IMMEDIATE"})
    void pieceByPieceWhereMessagesAreSmall(ArrivalMode mode) {
        RdmaDeviceOptions options = DevicePair.options(mode);
        for (int messageByteSizeMax : List.of(25, 100, 1000)) {
            RdmaDevice small = RdmaDevice.create(options.withName("sender"),
                    new SmallMessageFabric(
                            Fabrics.select("shm", NetworkOptions.defaults()).open(NetworkOptions.defaults()),
                            messageByteSizeMax));
            try (DevicePair pair = new DevicePair(small, RdmaDevice.create(options.withName("receiver")))) {
                ViewTransfer.assertArrive(pair, 12, 10);
            }
        }
    }

    /** The tail is one element of the write. */
    @ParameterizedTest
    @EnumSource(names = {"TAIL", "IMMEDIATE"})
    void asManyRunsAsTheDeviceGathersAndNoMore(ArrivalMode mode) {
        try (DevicePair pair = new DevicePair(DevicePair.options(mode))) {
            int most = pair.sender.capabilities().elementCountMax() - (mode == ArrivalMode.TAIL ? 1 : 0);
            for (int rows : new int[]{most, most + 1}) {
                Shape shape = Shape.of(rows, 3);
                TensorReceiver receiver = pair.receiver.receiver("rows " + rows, pair.receiverArena, TYPE, shape, 1);
                TensorSender sender = pair.channel().sender("rows " + rows, TYPE, shape, DevicePair.TIMEOUT);
                try (Tensor tensor = ViewTransfer.matrix(pair, rows, 5);
                        TensorView view = TensorView.of(tensor, tensor.layout().narrowed(1, 1, 3))) {
                    if (rows > most) {
                        String message = assertThrows(IllegalArgumentException.class, () -> sender.offer(view, null))
                                .getMessage();
                        assertTrue(message.contains("runs=" + rows + " of byteSize=12")
                                && message.contains("at most " + most) && message.contains("offerCopy"), message);
                        assertTrue(sender.isReady(), "nothing was begun");
                        assertEquals(1, tensor.pins());
                        assertEquals(SendResult.SENT, sender.offerCopy(view, pair.senderArena, null));
                        assertEquals(1, pair.sender.statistics().copies());
                        assertEquals(rows * 12, pair.sender.statistics().copiedByteSize());
                    } else {
                        assertEquals(SendResult.SENT, sender.offer(view, null));
                        assertEquals(0, pair.sender.statistics().copies());
                    }
                    ViewTransfer.assertArrived(DevicePair.await(pair.receiver, receiver::poll), view);
                }
            }
        }
    }

    /** Neither the view nor the tensor needs to be open longer than the offer. */
    @Test
    void aTransferKeepsWhatItSends() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            Shape shape = Shape.of(10, 10_000);
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, shape, 1);
            TensorSender sender = pair.channel().sender("edge", TYPE, shape, DevicePair.TIMEOUT);
            for (int round = 0; round < 20; round++) {
                Tensor tensor = ViewTransfer.matrix(pair, 10, 20_000);
                TensorView view = TensorView.of(tensor, tensor.layout().narrowed(1, 10_000, 10_000));
                tensor.close();
                DevicePair.awaitTrue(pair.sender, () -> sender.offer(view, null) == SendResult.SENT);
                view.close();
                Tensor arrived = DevicePair.await(pair.receiver, receiver::poll);
                try (TensorView got = TensorView.of(arrived, arrived.layout())) {
                    assertEquals(10_000, got.getDouble(0, 0));
                    assertEquals(199_999, got.getDouble(9, 9_999));
                }
                arrived.close();
            }
            DevicePair.awaitTrue(pair.sender, () -> pair.senderArena.statistics().liveCount() == 0);
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO));
                TensorArena ordinary = TensorArena.create(new OffHeapSlabSource(), 0, 1 << 20)) {
            Shape shape = Shape.of(4);
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, shape, 1);
            TensorSender sender = pair.channel().sender("edge", TYPE, shape, DevicePair.TIMEOUT);
            Tensor tensor = ViewTransfer.matrix(pair, 4, 4);
            for (TensorLayout wrong : List.of(tensor.layout(),
                    tensor.layout().selected(0, 0).bitCast(ElementType.INT32),
                    tensor.layout().selected(1, 0).narrowed(0, 0, 3))) {
                try (TensorView view = TensorView.of(tensor, wrong)) {
                    String message = assertThrows(IllegalArgumentException.class, () -> sender.offer(view, null))
                            .getMessage();
                    assertTrue(message.contains("sends FLOAT32[4], not view"), message);
                    assertThrows(IllegalArgumentException.class,
                            () -> sender.offerCopy(view, pair.senderArena, null));
                }
            }
            TensorView closed = TensorView.of(tensor, tensor.layout().selected(1, 0));
            closed.close();
            assertThrows(IllegalStateException.class, () -> sender.offer(closed, null));
            try (Tensor elsewhere = ordinary.allocate(TYPE, Shape.of(4, 4));
                    TensorView view = TensorView.of(elsewhere, elsewhere.layout().selected(0, 0))) {
                assertFalse(sender.isRegistered(view));
                String message = assertThrows(IllegalArgumentException.class, () -> sender.offer(view, null))
                        .getMessage();
                assertTrue(message.contains("slabSource"), message);
            }
            tensor.close();
            assertEquals(0, tensor.pins());
            receiver.close();
        }
    }
}
