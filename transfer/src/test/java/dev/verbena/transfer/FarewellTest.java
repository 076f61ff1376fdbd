package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/** Ends say goodbye before memory is given back, and another may take their place. */
class FarewellTest {
    private static final ElementType TYPE = ElementType.FLOAT32;
    private static final Shape SHAPE = Shape.of(1000);

    private static DevicePair pair(ArrivalMode mode) {
        return new DevicePair(DevicePair.options(mode));
    }

    /** One sender after the other, each of which leaves tensors that are not consumed yet. */
    @ParameterizedTest
    @EnumSource(value = ArrivalMode.class, names = {"TAIL", "IMMEDIATE"})
    void anotherSenderGoesOnWhereTheLastOneStopped(ArrivalMode mode) {
        try (DevicePair pair = pair(mode)) {
            TensorReceiver in = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 3);
            List<Tensor> kept = new ArrayList<>();
            int expected = 0;
            int next = 0;
            for (int round = 0; round < 10; round++) {
                try (TensorSender out = pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT)) {
                    for (int i = 0; i < 2; i++) {
                        try (Tensor tensor = pair.floats(1000, next++)) {
                            DevicePair.awaitTrue(pair.sender, () -> out.offer(tensor, null) == SendResult.SENT);
                        }
                        if (kept.size() == 2) {
                            kept.removeFirst().close();
                        }
                        Tensor arrived = DevicePair.await(pair.receiver, in::poll);
                        assertEquals(expected++, arrived.memory().get(ValueLayout.JAVA_FLOAT, 0));
                        kept.add(arrived);
                    }
                }
            }
            kept.forEach(Tensor::close);
            in.close();
        }
    }

    @ParameterizedTest
    @EnumSource(value = ArrivalMode.class, names = {"TAIL", "IMMEDIATE"})
    void aSenderIsToldThatItsReceiverClosedAndTheConnectionLives(ArrivalMode mode) {
        try (DevicePair pair = pair(mode)) {
            List<String> lost = new ArrayList<>();
            pair.sender.onPeerLost(lost::add);
            TensorReceiver in = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 2);
            RdmaChannel channel = pair.channel();
            TensorSender out = channel.sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT);
            in.close();
            try (Tensor tensor = pair.floats(1000, 1)) {
                TransferException told = assertThrows(TransferException.class, () -> out.offer(tensor, null));
                assertTrue(told.getMessage().contains("closed the receiver"), told.getMessage());
            }
            out.close();
            TensorReceiver again = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 2);
            try (TensorSender next = channel.sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT);
                    Tensor tensor = pair.floats(1000, 2)) {
                assertEquals(SendResult.SENT, next.offer(tensor, null));
                DevicePair.await(pair.receiver, again::poll).close();
            }
            again.close();
            assertEquals(List.of(), lost);
        }
    }

    /** The slots are the arena's again when the receiver is closed: nothing may be written there any more. */
    @ParameterizedTest
    @EnumSource(value = ArrivalMode.class, names = {"TAIL", "IMMEDIATE"})
    void aClosedReceiversMemoryIsNotWrittenAnyMore(ArrivalMode mode) throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            try (DevicePair pair = pair(mode);
                    TensorArena own = TensorArena.create(pair.receiver.slabSource(), 1 << 20, 1 << 20)) {
                Shape large = Shape.of(60_000);
                TensorReceiver in = pair.receiver.receiver("edge", own, TYPE, large, 2);
                TensorSender out = pair.channel().sender("edge", TYPE, large, DevicePair.TIMEOUT);
                CountDownLatch isRunning = new CountDownLatch(1);
                AtomicReference<TransferException> told = new AtomicReference<>();
                Thread sending = Thread.ofPlatform().start(() -> {
                    try (Tensor tensor = pair.floats(60_000, 1)) {
                        while (true) {
                            out.offer(tensor, null);
                            isRunning.countDown();
                        }
                    } catch (TransferException e) {
                        told.set(e);
                    }
                });
                isRunning.await();
                DevicePair.await(pair.receiver, in::poll).close();
                in.close();
                try (Tensor next = own.allocate(ElementType.UINT8, Shape.of(600_000))) {
                    next.memory().fill((byte) 42);
                    sending.join();
                    assertTrue(told.get().getMessage().contains("closed the receiver"), told.get().getMessage());
                    for (long i = 0; i < next.byteSize(); i++) {
                        assertEquals((byte) 42, next.memory().get(ValueLayout.JAVA_BYTE, i), "offset=" + i);
                    }
                }
            }
        }
    }

    /** A sender that closes gives its control memory back, into which a receiver that closes too must not write any more. */
    @ParameterizedTest
    @EnumSource(value = ArrivalMode.class, names = {"TAIL", "IMMEDIATE"})
    void bothEndsMayCloseAtOnce(ArrivalMode mode) throws InterruptedException {
        try (DevicePair pair = pair(mode)) {
            for (int round = 0; round < 300; round++) {
                TensorReceiver in = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 2);
                TensorSender out = pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT);
                try (Tensor tensor = pair.floats(1000, round)) {
                    assertEquals(SendResult.SENT, out.offer(tensor, null));
                }
                Tensor arrived = DevicePair.await(pair.receiver, in::poll);
                Thread closing = Thread.ofPlatform().start(out::close);
                arrived.close();
                in.close();
                closing.join();
            }
            assertEquals(0, pair.receiverArena.statistics().liveByteSize());
            assertEquals(0, pair.senderArena.statistics().liveByteSize());
        }
    }

    /** Control memory comes back when a sender closes, not when the device does. */
    @Test
    void sendersThatCloseLeaveNoControlMemory() {
        try (DevicePair pair = pair(ArrivalMode.AUTO)) {
            TensorReceiver in = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 2);
            pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT).close();
            long registered = pair.sender.statistics().registeredByteSize();
            for (int i = 0; i < 20_000; i++) {
                pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT).close();
            }
            assertEquals(registered, pair.sender.statistics().registeredByteSize());
            in.close();
        }
    }

    /** Asked for before it is there, and given up: the receiver that comes later is free for another. */
    @Test
    void aPlacementThatTimedOutBindsNothing() {
        try (DevicePair pair = pair(ArrivalMode.AUTO)) {
            TransferException early = assertThrows(TransferException.class,
                    () -> pair.channel().sender("edge", TYPE, SHAPE, Duration.ofMillis(20)));
            assertTrue(early.getMessage().contains("has no receiver 'edge'"), early.getMessage());
            TensorReceiver in = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 2);
            try (TensorSender out = pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT);
                    Tensor tensor = pair.floats(1000, 1)) {
                assertEquals(SendResult.SENT, out.offer(tensor, null));
                DevicePair.await(pair.receiver, in::poll).close();
            }
            in.close();
        }
    }

    /** From a callback nobody may wait: the end comes soon. */
    @Test
    void aSenderMayBeClosedFromItsCallback() {
        try (DevicePair pair = pair(ArrivalMode.AUTO)) {
            TensorReceiver in = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 2);
            TensorSender out = pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT);
            AtomicBoolean isClosed = new AtomicBoolean();
            try (Tensor tensor = pair.floats(1000, 1)) {
                out.offer(tensor, failure -> {
                    assertNull(failure);
                    out.close();
                    isClosed.set(true);
                });
                DevicePair.awaitTrue(pair.sender, isClosed::get);
                DevicePair.await(pair.receiver, in::poll).close();
                assertThrows(IllegalStateException.class, () -> out.offer(tensor, null));
            }
            // Its place is free as soon as it has taken leave.
            DevicePair.await(pair.sender, () -> {
                try {
                    return pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT);
                } catch (TransferException e) {
                    return null;
                }
            }).close();
            in.close();
        }
    }
}
