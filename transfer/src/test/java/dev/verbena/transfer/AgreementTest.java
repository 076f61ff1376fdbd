package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** A receiver with an agreement: for one sender, which says the same. */
class AgreementTest {
    private static final ElementType TYPE = ElementType.FLOAT32;
    private static final Shape SHAPE = Shape.of(10);
    private static final Duration SHORT = Duration.ofMillis(100);

    private static DevicePair pair(ArrivalMode mode) {
        return new DevicePair(DevicePair.options(mode));
    }

    private static String messageOf(org.junit.jupiter.api.function.Executable executable) {
        return assertThrows(TransferException.class, executable).getMessage();
    }

    private static void assertContains(String message, String... parts) {
        for (String part : parts) {
            assertTrue(message.contains(part), () -> message + " lacks " + part);
        }
    }

    @Test
    void whoSaysSomethingElseIsRefusedByBoth() {
        try (DevicePair pair = pair(ArrivalMode.AUTO)) {
            TensorReceiver in = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 2, "plan 1");
            DynamicTensorReceiver any = pair.receiver.dynamicReceiver("any", pair.receiverArena, 2, "plan 1");
            TensorReceiver open = pair.receiver.receiver("open", pair.receiverArena, TYPE, SHAPE, 2);
            RdmaChannel channel = pair.channel();
            assertContains(messageOf(() -> channel.sender("edge", TYPE, SHAPE, "plan 2", DevicePair.TIMEOUT)),
                    "'edge' was made for plan 1", "the sender for plan 2");
            assertContains(messageOf(() -> channel.sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT)),
                    "the sender for no agreement");
            assertContains(messageOf(() -> channel.dynamicSender("any", "plan 2", DevicePair.TIMEOUT)),
                    "'any' was made for plan 1", "the sender for plan 2");
            assertContains(messageOf(() -> channel.sender("open", TYPE, SHAPE, "plan 2", DevicePair.TIMEOUT)),
                    "'open' was made for no agreement");
            // Who is refused has not been there.
            channel.sender("edge", TYPE, SHAPE, "plan 1", DevicePair.TIMEOUT).close();
            channel.dynamicSender("any", "plan 1", DevicePair.TIMEOUT).close();
            in.close();
            any.close();
            open.close();
        }
    }

    @ParameterizedTest
    @EnumSource(value = ArrivalMode.class, names = {"TAIL", "IMMEDIATE"})
    void whenItsSenderHasClosedNothingMoreIsWaitedFor(ArrivalMode mode) {
        try (DevicePair pair = pair(mode)) {
            TensorReceiver in = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 2, "plan");
            TensorSender out = pair.channel().sender("edge", TYPE, SHAPE, "plan", DevicePair.TIMEOUT);
            for (int i = 0; i < 2; i++) {
                try (Tensor tensor = pair.floats(10, i)) {
                    assertEquals(SendResult.SENT, out.offer(tensor, null));
                }
            }
            out.close();
            for (int i = 0; i < 2; i++) {
                try (Tensor arrived = DevicePair.await(pair.receiver, in::poll)) {
                    assertEquals(i, arrived.memory().get(ValueLayout.JAVA_FLOAT, 0));
                }
            }
            assertContains(messageOf(in::poll), "receiver 'edge'", "has closed");
            in.close();
        }
    }

    @Test
    void whenItsSenderHasClosedNothingMoreIsReadEither() {
        try (DevicePair pair = pair(ArrivalMode.AUTO)) {
            DynamicTensorReceiver in = pair.receiver.dynamicReceiver("edge", pair.receiverArena, 2, "plan");
            DynamicTensorSender out = pair.channel().dynamicSender("edge", "plan", DevicePair.TIMEOUT);
            try (Tensor tensor = pair.floats(10, 7)) {
                assertEquals(SendResult.SENT, out.offer(tensor, null));
            }
            out.close();
            try (Tensor arrived = DevicePair.await(pair.receiver, in::poll)) {
                assertEquals(7, arrived.memory().get(ValueLayout.JAVA_FLOAT, 0));
            }
            assertContains(messageOf(in::poll), "receiver 'edge'", "has closed");
            in.close();
        }
    }

    /** The receiver that had the last one is no place for it. */
    @Test
    void anotherSenderWaitsForAnotherReceiver() {
        try (DevicePair pair = pair(ArrivalMode.AUTO)) {
            TensorReceiver first = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 2, "plan");
            RdmaChannel channel = pair.channel();
            TensorSender out = channel.sender("edge", TYPE, SHAPE, "plan", DevicePair.TIMEOUT);
            assertContains(messageOf(() -> channel.sender("edge", TYPE, SHAPE, "plan", SHORT)), "no receiver 'edge'");
            out.close();
            assertContains(messageOf(() -> channel.sender("edge", TYPE, SHAPE, "plan", SHORT)), "no receiver 'edge'");
            CompletableFuture<TensorSender> next = CompletableFuture
                    .supplyAsync(() -> channel.sender("edge", TYPE, SHAPE, "plan", DevicePair.TIMEOUT));
            first.close();
            assertFalse(next.isDone());
            TensorReceiver second = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 2, "plan");
            TensorSender now = next.join();
            try (Tensor tensor = pair.floats(10, 3)) {
                assertEquals(SendResult.SENT, now.offer(tensor, null));
            }
            try (Tensor arrived = DevicePair.await(pair.receiver, second::poll)) {
                assertEquals(3, arrived.memory().get(ValueLayout.JAVA_FLOAT, 0));
            }
            now.close();
            second.close();
        }
    }
}
