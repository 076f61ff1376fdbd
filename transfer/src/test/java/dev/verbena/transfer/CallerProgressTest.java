package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** Devices without pollers: what the threads that offer, poll and wait do is enough. */
class CallerProgressTest {
    private static final int ROUNDS = 2_000;

    private static RdmaDeviceOptions options(ArrivalMode mode) {
        return DevicePair.options(mode).withProgress(Progress.callers());
    }

    @ParameterizedTest
    @EnumSource(value = ArrivalMode.class, names = {"TAIL", "IMMEDIATE"})
    void tensorsGoBackAndForth(ArrivalMode mode) throws InterruptedException {
        Shape shape = Shape.of(1000);
        try (DevicePair pair = new DevicePair(options(mode))) {
            TensorReceiver there = pair.receiver.receiver("there", pair.receiverArena, ElementType.INT32, shape, 1);
            TensorReceiver back = pair.sender.receiver("back", pair.senderArena, ElementType.INT32, shape, 1);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread echo = Thread.ofPlatform().uncaughtExceptionHandler((thread, e) -> failure.set(e)).start(() -> {
                TensorSender out = pair.receiver.channel(pair.sender.endpoint(), 0).sender("back", ElementType.INT32,
                        shape,
                        DevicePair.TIMEOUT);
                try (Tensor answer = pair.receiverArena.allocate(ElementType.INT32, shape)) {
                    for (int i = 0; i < ROUNDS; i++) {
                        try (Tensor arrived = DevicePair.await(pair.receiver, there::poll)) {
                            answer.memory().copyFrom(arrived.memory());
                        }
                        DevicePair.awaitTrue(pair.receiver, () -> out.offer(answer, null) == SendResult.SENT);
                    }
                }
            });
            TensorSender out = pair.channel().sender("there", ElementType.INT32, shape, DevicePair.TIMEOUT);
            try (Tensor tensor = pair.senderArena.allocate(ElementType.INT32, shape)) {
                for (int i = 0; i < ROUNDS; i++) {
                    tensor.memory().fill((byte) i);
                    DevicePair.awaitTrue(pair.sender, () -> out.offer(tensor, null) == SendResult.SENT);
                    try (Tensor arrived = DevicePair.await(pair.sender, back::poll)) {
                        assertEquals(-1, arrived.memory().mismatch(tensor.memory()), "round " + i);
                    }
                }
            }
            echo.join();
            assertEquals(null, failure.get());
            assertTrue(pollers().isEmpty(), pollers().toString());
        }
    }

    /** Who offers a large tensor moves all of it: nobody may come to do the rest. */
    @ParameterizedTest
    @EnumSource(value = ArrivalMode.class, names = "TAIL")
    void anOfferIsSeenThrough(ArrivalMode mode) throws InterruptedException {
        Shape shape = Shape.of(8 << 20);
        try (DevicePair pair = new DevicePair(options(mode))) {
            TensorReceiver in = pair.receiver.receiver("edge", pair.receiverArena, ElementType.UINT8, shape, 1);
            Thread sending = Thread.ofPlatform().start(() -> {
                TensorSender out = pair.channel().sender("edge", ElementType.UINT8, shape, DevicePair.TIMEOUT);
                try (Tensor tensor = pair.senderArena.allocate(ElementType.UINT8, shape)) {
                    tensor.memory().fill((byte) 7);
                    DevicePair.awaitTrue(pair.sender, () -> out.offer(tensor, null) == SendResult.SENT);
                }
            });
            try (Tensor arrived = DevicePair.await(pair.receiver, in::poll)) {
                sending.join();
                assertEquals(0, pair.senderArena.statistics().liveByteSize());
                assertEquals((byte) 7, arrived.memory().get(java.lang.foreign.ValueLayout.JAVA_BYTE, (8 << 20) - 1));
            }
        }
    }

    private static List<String> pollers() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
                .filter(name -> name.contains("-poller-"))
                .toList();
    }
}
