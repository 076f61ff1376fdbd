package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLayout;
import dev.verbena.memory.TensorView;

/** Sends views of a matrix over any fabric, and compares what arrives. */
final class ViewTransfer {
    private ViewTransfer() {}

    /** Rows, columns, single elements, a transposed corner, a repeated row, nothing, and the bits; no one with more than four runs. */
    static void assertArrive(DevicePair pair, int rows, int columns) {
        TensorLayout whole = TensorLayout.of(ElementType.FLOAT32, Shape.of(rows, columns));
        List<TensorLayout> layouts = List.of(whole, whole.narrowed(0, 1, 3), whole.selected(0, 2),
                whole.narrowed(1, 2, 5).narrowed(0, 3, 4), whole.selected(1, 3).narrowed(0, 2, 4),
                whole.sliced(1, 1, 8, 2).selected(0, 5), whole.transposed(0, 1).narrowed(0, 1, 2).narrowed(1, 1, 2),
                whole.selected(0, 1).expanded(Shape.of(3, columns)), whole.narrowed(0, 2, 0),
                whole.bitCast(ElementType.UINT8).narrowed(1, 1, 5).narrowed(0, 0, 3),
                whole.bitCast(ElementType.INT4).selected(0, 1).narrowed(0, 2, 7));
        for (int i = 0; i < layouts.size(); i++) {
            TensorLayout layout = layouts.get(i);
            TensorReceiver receiver = pair.receiver.receiver("view " + i, pair.receiverArena, layout.type(),
                    layout.shape(), 1);
            TensorSender sender = pair.channel().sender("view " + i, layout.type(), layout.shape(),
                    DevicePair.TIMEOUT);
            try (Tensor tensor = matrix(pair, rows, columns); TensorView view = TensorView.of(tensor, layout)) {
                for (int round = 0; round < 2; round++) {
                    DevicePair.awaitTrue(pair.sender, () -> sender.offer(view, null) == SendResult.SENT);
                    assertArrived(DevicePair.await(pair.receiver, receiver::poll), view);
                }
            }
        }
        assertEquals(2 * layouts.size(), pair.sender.statistics().transfers());
        assertEquals(2 * layouts.stream().mapToLong(TensorLayout::byteSize).sum(),
                pair.sender.statistics().transferredByteSize());
        assertEquals(0, pair.sender.statistics().copies());
    }

    /** Element by element, through its indices on the one side and in their order on the other. */
    static void assertArrived(Tensor arrived, TensorView sent) {
        try (TensorView got = TensorView.of(arrived, arrived.layout())) {
            assertEquals(sent.shape(), got.shape());
            long[] index = new long[sent.shape().rank()];
            for (long element = 0; element < sent.shape().elementCount(); element++) {
                long rest = element;
                for (int i = index.length - 1; i >= 0; i--) {
                    index[i] = rest % sent.shape().dimension(i);
                    rest /= sent.shape().dimension(i);
                }
                assertEquals(sent.getDouble(index), got.getDouble(index), sent::toString);
            }
        }
        arrived.close();
    }

    /** 0, 1, 2 ... in rows. */
    static Tensor matrix(DevicePair pair, int rows, int columns) {
        return pair.floats((long) rows * columns, 0).reshaped(Shape.of(rows, columns));
    }
}
