package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Slab;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;

/** Received tensors that are lent to a lease of the caller's. */
class LentTensorTest {
    private static final ElementType TYPE = ElementType.FLOAT32;
    private static final Shape SHAPE = Shape.of(16);

    @ParameterizedTest
    @EnumSource(names = {"TAIL", "IMMEDIATE"})
    void oneLeaseTakesOneTensorAfterTheOther(ArrivalMode mode) {
        try (DevicePair pair = new DevicePair(DevicePair.options(mode))) {
            TensorReceiver receiver = receiver(pair, 2);
            TensorSender sender = sender(pair);
            TensorLease lease = new TensorLease();
            assertFalse(receiver.poll(lease, Duration.ofMillis(1)));
            for (int i = 0; i < 5; i++) {
                send(pair, sender, i);
                assertTrue(receiver.poll(lease, DevicePair.TIMEOUT));
                assertEquals(i, lease.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 0));
                assertEquals(i + 15, lease.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 15));
                lease.close();
            }
            receiver.close();
        }
    }

    /** In turn with tensors that are objects, and nothing is lost. */
    @Test
    void aLeaseThatHoldsATensorTakesNoOther() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            TensorReceiver receiver = receiver(pair, 2);
            TensorSender sender = sender(pair);
            send(pair, sender, 0);
            send(pair, sender, 1);
            TensorLease lease = new TensorLease();
            assertTrue(receiver.poll(lease, DevicePair.TIMEOUT));
            assertThrows(IllegalStateException.class, () -> receiver.poll(lease, DevicePair.TIMEOUT));
            assertEquals(0, lease.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 0));
            try (Tensor next = receiver.poll(DevicePair.TIMEOUT)) {
                assertEquals(1, next.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 0));
            }
            lease.close();
            receiver.close();
        }
    }

    @Test
    void itsSlotIsFreeWhenAllThatShareAreDone() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            TensorReceiver receiver = receiver(pair, 1);
            TensorSender sender = sender(pair);
            send(pair, sender, 0);
            TensorLease lease = new TensorLease();
            assertTrue(receiver.poll(lease, DevicePair.TIMEOUT));
            TensorLease shared = lease.share();
            lease.close();
            try (Tensor tensor = pair.floats(16, 1)) {
                assertThrows(TransferException.class, () -> sender.send(tensor, Duration.ofMillis(20)));
                shared.close();
                sender.send(tensor, DevicePair.TIMEOUT);
            }
            receiver.close();
        }
    }

    /** The memory stays until the lease is given up. */
    @Test
    void aReceiverMayCloseFirst() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            TensorReceiver receiver = receiver(pair, 2);
            TensorSender sender = sender(pair);
            send(pair, sender, 7);
            TensorLease lease = new TensorLease();
            assertTrue(receiver.poll(lease, DevicePair.TIMEOUT));
            receiver.close();
            assertThrows(IllegalStateException.class, () -> receiver.poll(new TensorLease()));
            assertEquals(1, pair.receiverArena.statistics().liveCount());
            assertEquals(7, lease.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 0));
            lease.close();
            assertEquals(0, pair.receiverArena.statistics().liveCount());
        }
    }

    /** A sender that does not wait for acknowledgements writes over what is being read: both hear of it. */
    @Test
    void aSlotThatIsWrittenWhileInUseFailsTheConnection() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.TAIL))) {
            TensorReceiver receiver = receiver(pair, 1);
            TensorSender sender = sender(pair);
            send(pair, sender, 0);
            Tensor inUse = receiver.poll(DevicePair.TIMEOUT);
            Slab slab = inUse.slab();
            slab.memory().set(ValueLayout.JAVA_LONG, inUse.slabOffset() + inUse.byteSize(), 2);
            TransferException failure = assertThrows(TransferException.class, receiver::poll);
            assertTrue(failure.getMessage().contains("slot that is in use"), failure.getMessage());
            DevicePair.awaitTrue(pair.sender, () -> isLost(sender));
            inUse.close();
            receiver.close();
        }
    }

    private static boolean isLost(TensorSender sender) {
        try {
            sender.isReady();
            return false;
        } catch (TransferException e) {
            return true;
        }
    }

    @Test
    void nothingComesToALeaseWhenNothingIsThere() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            TensorReceiver receiver = receiver(pair, 2);
            TensorLease lease = new TensorLease();
            assertFalse(receiver.poll(lease));
            assertNull(receiver.poll());
            assertThrows(IllegalStateException.class, lease::memory);
            receiver.close();
        }
    }

    private static TensorReceiver receiver(DevicePair pair, int depth) {
        return pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, depth);
    }

    private static TensorSender sender(DevicePair pair) {
        return pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT);
    }

    private static void send(DevicePair pair, TensorSender sender, float first) {
        try (Tensor tensor = pair.floats(16, first)) {
            sender.send(tensor, DevicePair.TIMEOUT);
        }
    }
}
