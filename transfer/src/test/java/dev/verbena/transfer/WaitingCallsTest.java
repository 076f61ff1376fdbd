package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** Calls that wait, by any number of threads, virtual ones too, whoever drives. */
class WaitingCallsTest {
    private static final ElementType TYPE = ElementType.FLOAT32;
    private static final Shape SHAPE = Shape.of(100);
    private static final Duration SHORT = Duration.ofMillis(20);

    private static Stream<Arguments> everyWay() {
        return Stream.of(ArrivalMode.TAIL, ArrivalMode.IMMEDIATE).flatMap(mode -> Stream
                .of(Progress.pollers(), Progress.callers(), Progress.callers().withSpins(0))
                .map(progress -> Arguments.of(mode, progress)));
    }

    /** Eight receivers with a virtual thread each, and as many senders. */
    @ParameterizedTest
    @MethodSource("everyWay")
    void severalThreadsWaitAtOnce(ArrivalMode mode, Progress progress) throws InterruptedException {
        int edges = 8;
        int each = 200;
        AtomicInteger arrived = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (DevicePair pair = new DevicePair(DevicePair.options(mode).withProgress(progress))) {
            List<Thread> threads = new ArrayList<>();
            for (int edge = 0; edge < edges; edge++) {
                String name = "edge " + edge;
                TensorReceiver in = pair.receiver.receiver(name, pair.receiverArena, TYPE, SHAPE, 2);
                threads.add(Thread.ofVirtual().uncaughtExceptionHandler((thread, e) -> failure.set(e)).start(() -> {
                    for (int i = 0; i < each; i++) {
                        Tensor tensor = in.poll(DevicePair.TIMEOUT);
                        assertEquals(i, tensor.memory().getAtIndex(java.lang.foreign.ValueLayout.JAVA_FLOAT, 0));
                        tensor.close();
                        arrived.incrementAndGet();
                    }
                    in.close();
                }));
                threads.add(Thread.ofVirtual().uncaughtExceptionHandler((thread, e) -> failure.set(e)).start(() -> {
                    TensorSender out = pair.channel().sender(name, TYPE, SHAPE, DevicePair.TIMEOUT);
                    for (int i = 0; i < each; i++) {
                        try (Tensor tensor = pair.floats(100, i)) {
                            out.send(tensor, DevicePair.TIMEOUT);
                        }
                    }
                    out.close();
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertNull(failure.get());
        assertEquals(edges * each, arrived.get());
    }

    @Test
    void whenTheTimeIsUpTheySayWhatTheyWaitedFor() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            TensorReceiver in = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 1);
            TensorSender out = pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT);
            assertNull(in.poll(SHORT));
            try (Tensor tensor = pair.floats(100, 1)) {
                out.send(tensor, DevicePair.TIMEOUT);
                TransferException full = assertThrows(TransferException.class, () -> out.send(tensor, SHORT));
                assertTrue(full.getMessage().contains("peer receiver") && full.getMessage().contains("no slot is free"),
                        full.getMessage());
            }
            in.poll(DevicePair.TIMEOUT).close();
            in.close();
        }
    }

    @Test
    void whoIsInterruptedIsTold() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            TensorReceiver in = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 1);
            Thread.currentThread().interrupt();
            assertThrows(TransferException.class, () -> in.poll(DevicePair.TIMEOUT));
            assertTrue(Thread.interrupted());
            in.close();
        }
    }

    @Test
    void callbacksMustNotWait() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            TensorReceiver in = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 2);
            TensorSender out = pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT);
            AtomicReference<IllegalStateException> refused = new AtomicReference<>();
            try (Tensor tensor = pair.floats(100, 1)) {
                out.offer(tensor, failure -> refused
                        .set(assertThrows(IllegalStateException.class, () -> out.send(tensor, DevicePair.TIMEOUT))));
                DevicePair.await(pair.sender, refused::get);
            }
            assertTrue(refused.get().getMessage().contains("must not wait"), refused.get().getMessage());
            in.close();
        }
    }
}
