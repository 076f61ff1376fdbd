package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;

/**
 * In steady state an exchange allocates nothing on the Java heap, neither where it is sent nor where it is asked for, on no thread: names and
 * shapes come again, and who asks does so with one request and one lease.
 */
class ExchangeGarbageTest {
    private static final String SMALL = "small";
    private static final String LARGE = "large";
    private static final int UNDER_WAY_MAX = 4;

    private static Stream<Progress> everyWay() {
        return Stream.of(Progress.pollers(), Progress.callers());
    }

    /** On the sending and the receiving thread and on the pollers of both devices; small tensors in messages, large ones read. */
    @ParameterizedTest
    @MethodSource("everyWay")
    void anExchangeAllocatesNothing(Progress progress) throws InterruptedException {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO).withProgress(progress))) {
            ExchangeReceiver receiver = pair.receiver.exchangeReceiver("edge", pair.receiverArena, UNDER_WAY_MAX);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread consumer = Thread.ofPlatform().uncaughtExceptionHandler((thread, e) -> failure.set(e))
                    .start(() -> consume(receiver));
            ExchangeSender sender = pair.channel().exchangeSender("edge", ExchangeOptions.defaults(),
                    DevicePair.TIMEOUT);
            List<Long> involved = new ArrayList<>(StaticPlacementGarbageTest.pollers());
            involved.add(consumer.threadId());
            involved.add(Thread.currentThread().threadId());
            Tensor small = pair.floats(16, 1);
            Tensor large = pair.floats(5_000, 1);
            AtomicLong ended = new AtomicLong();
            SendCallback callback = cause -> ended.incrementAndGet();
            long step = 0;
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < StaticPlacementGarbageTest.ROUNDS_MAX
                    && allocated > StaticPlacementGarbageTest.TOLERANCE && failure.get() == null; round++) {
                long before = StaticPlacementGarbageTest.allocatedBy(involved);
                for (int i = 0; i < StaticPlacementGarbageTest.ROUND && failure.get() == null; i++) {
                    await(pair.sender, ended, step - UNDER_WAY_MAX);
                    sender.offer(name(step), step, step % 2 == 0 ? small : large, callback);
                    step++;
                }
                allocated = StaticPlacementGarbageTest.allocatedBy(involved) - before;
            }
            Tensor last = pair.floats(1, -1);
            sender.send(name(step), step, last, DevicePair.TIMEOUT);
            consumer.join();
            last.close();
            small.close();
            large.close();
            assertEquals(null, failure.get());
            assertTrue(allocated <= StaticPlacementGarbageTest.TOLERANCE,
                    allocated + " bytes for " + StaticPlacementGarbageTest.ROUND + " tensors");
            assertTrue(sender.statistics().eager() > 0 && sender.statistics().rendezvous() > 0);
        }
    }

    /** Each name has its shape, which is told once. */
    private static String name(long step) {
        return step % 2 == 0 ? SMALL : LARGE;
    }

    private static void await(RdmaDevice device, AtomicLong ended, long count) {
        long seen = device.activity();
        while (ended.get() < count) {
            DevicePair.rest(device, seen);
            seen = device.activity();
        }
    }

    /** Until one begins with a negative number. */
    private static void consume(ExchangeReceiver receiver) {
        TensorLease lease = new TensorLease();
        float first = 0;
        ExchangeRequest request = receiver.receive(name(0), 0);
        for (long step = 1; first >= 0; step++) {
            assertTrue(request.await(DevicePair.TIMEOUT));
            request.take(lease);
            first = lease.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 0);
            lease.close();
            if (first >= 0) {
                request.ask(name(step), step);
            }
        }
    }
}
