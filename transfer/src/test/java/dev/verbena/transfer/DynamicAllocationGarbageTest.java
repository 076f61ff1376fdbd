package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;

/**
 * As long as the same shapes come in turn, a tensor of any shape allocates nothing on the Java heap either, though the receiver allocates it:
 * neither where it is offered nor where it is polled, on no thread.
 */
class DynamicAllocationGarbageTest {
    private static final String EDGE = "edge";

    private static Stream<Arguments> everyWay() {
        return Stream.of(Progress.pollers(), Progress.callers())
                .flatMap(progress -> Stream.of(true, false).map(waits -> Arguments.of(progress, waits)));
    }

    /** On the sending and the receiving thread and on the pollers of both devices. */
    @ParameterizedTest
    @MethodSource("everyWay")
    void aTransferAllocatesNothing(Progress progress, boolean waits) throws InterruptedException {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO).withProgress(progress))) {
            DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 2);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread consumer = Thread.ofPlatform().uncaughtExceptionHandler((thread, e) -> failure.set(e))
                    .start(() -> consume(pair.receiver, receiver, waits));
            DynamicTensorSender sender = pair.channel().dynamicSender(EDGE, DevicePair.TIMEOUT);
            List<Long> involved = new ArrayList<>(StaticPlacementGarbageTest.pollers());
            involved.add(consumer.threadId());
            involved.add(Thread.currentThread().threadId());
            Tensor small = pair.floats(16, 1).reshaped(Shape.of(4, 4));
            Tensor large = pair.floats(100, 1);
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < StaticPlacementGarbageTest.ROUNDS_MAX
                    && allocated > StaticPlacementGarbageTest.TOLERANCE && failure.get() == null; round++) {
                long before = StaticPlacementGarbageTest.allocatedBy(involved);
                for (int i = 0; i < StaticPlacementGarbageTest.ROUND; i++) {
                    send(pair.sender, sender, i % 2 == 0 ? small : large, waits);
                }
                allocated = StaticPlacementGarbageTest.allocatedBy(involved) - before;
            }
            // Another one, since those before may not be read yet.
            Tensor last = pair.floats(1, -1);
            sender.send(last, DevicePair.TIMEOUT);
            consumer.join();
            last.close();
            small.close();
            large.close();
            assertEquals(null, failure.get());
            assertTrue(allocated <= StaticPlacementGarbageTest.TOLERANCE,
                    allocated + " bytes for " + StaticPlacementGarbageTest.ROUND + " transfers");
        }
    }

    private static void send(RdmaDevice device, DynamicTensorSender sender, Tensor tensor, boolean waits) {
        if (waits) {
            sender.send(tensor, DevicePair.TIMEOUT);
            return;
        }
        long seen = device.activity();
        while (!sender.isReady()) {
            DevicePair.rest(device, seen);
            seen = device.activity();
        }
        sender.offer(tensor, null);
    }

    /** Until one begins with a negative number. */
    private static void consume(RdmaDevice device, DynamicTensorReceiver receiver, boolean waits) {
        TensorLease lease = new TensorLease();
        float first = 0;
        while (first >= 0) {
            long seen = device.activity();
            if (waits ? receiver.poll(lease, DevicePair.TIMEOUT) : receiver.poll(lease)) {
                first = lease.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 0);
                lease.close();
            } else {
                DevicePair.rest(device, seen);
            }
        }
    }
}
