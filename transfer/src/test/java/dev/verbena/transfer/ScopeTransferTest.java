package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.IterationScope;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** Tensors of an iteration scope over registered memory are sent like others; the iteration does not end before its transfers. */
class ScopeTransferTest {
    private static final ElementType TYPE = ElementType.INT32;
    private static final int COUNT = 100_000;

    @Test
    void aScopeEndsWhenItsTransfersHave() throws Exception {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.TAIL))) {
            Shape shape = Shape.of(COUNT);
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, shape, 1);
            TensorSender sender = pair.channel().sender("edge", TYPE, shape, DevicePair.TIMEOUT);
            IterationScope scope = pair.senderArena.scope();
            for (int iteration = 1; iteration <= 20; iteration++) {
                Tensor tensor = scope.allocate(TYPE, shape);
                tensor.memory().setAtIndex(ValueLayout.JAVA_INT, COUNT - 1, iteration);
                DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, null) == SendResult.SENT);
                scope.reset(DevicePair.TIMEOUT);
                assertThrows(IllegalStateException.class, tensor::memory);
                Tensor arrived = DevicePair.await(pair.receiver, receiver::poll);
                assertEquals(iteration, arrived.memory().getAtIndex(ValueLayout.JAVA_INT, COUNT - 1));
                arrived.close();
            }
            assertEquals(20, pair.sender.statistics().transfers());
            assertEquals(0, pair.sender.statistics().copies());
            scope.close(DevicePair.TIMEOUT);
            receiver.close();
            pair.closeArenas();
        }
    }
}
