package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import com.sun.management.ThreadMXBean;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;
import dev.verbena.memory.TensorView;

/** In steady state a transfer allocates nothing on the Java heap: neither where it is offered nor where it is polled, on no thread. */
class StaticPlacementGarbageTest {
    private static final ElementType TYPE = ElementType.FLOAT32;
    private static final Shape SHAPE = Shape.of(4, 4);
    static final int ROUND = 5_000;
    /** Until the compiler has seen everything, sleeping too, boxes and views are real objects. */
    static final int ROUNDS_MAX = 400;
    /** What a recompilation may allocate on a thread's behalf; the smallest object per transfer would be 5 times as much. */
    static final long TOLERANCE = 16_000;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static Stream<Arguments> everyWay() {
        return Stream.of(ArrivalMode.TAIL, ArrivalMode.IMMEDIATE)
                .flatMap(mode -> Stream.of(Progress.pollers(), Progress.callers())
                        .flatMap(progress -> Stream.of(true, false).map(waits -> Arguments.of(mode, progress, waits))));
    }

    /** On the sending and the receiving thread and on the pollers of both devices. */
    @ParameterizedTest
    @MethodSource("everyWay")
    void aTransferAllocatesNothing(ArrivalMode mode, Progress progress, boolean waits) throws InterruptedException {
        assertTrue(THREADS.isThreadAllocatedMemorySupported());
        try (DevicePair pair = new DevicePair(DevicePair.options(mode).withProgress(progress))) {
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 4);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread consumer = Thread.ofPlatform().uncaughtExceptionHandler((thread, e) -> failure.set(e))
                    .start(() -> consume(pair.receiver, receiver, waits));
            TensorSender sender = pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT);
            List<Long> involved = new ArrayList<>(pollers());
            involved.add(consumer.threadId());
            involved.add(Thread.currentThread().threadId());
            Tensor tensor = pair.floats(16, 1).reshaped(SHAPE);
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS_MAX && allocated > TOLERANCE && failure.get() == null; round++) {
                long before = allocatedBy(involved);
                send(pair.sender, sender, tensor, waits);
                allocated = allocatedBy(involved) - before;
            }
            tensor.memory().setAtIndex(ValueLayout.JAVA_FLOAT, 0, -1);
            sender.send(tensor, DevicePair.TIMEOUT);
            consumer.join();
            tensor.close();
            assertEquals(null, failure.get());
            assertTrue(allocated <= TOLERANCE, allocated + " bytes for " + ROUND + " transfers");
        }
    }

    /** A view is gathered. */
    @Test
    void offeringAViewAllocatesNothing() throws InterruptedException {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 4);
            Thread consumer = Thread.ofPlatform().start(() -> consume(pair.receiver, receiver, false));
            TensorSender sender = pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT);
            Tensor wider = pair.floats(32, 1).reshaped(Shape.of(4, 8));
            TensorView view = TensorView.of(wider, wider.layout().narrowed(1, 2, 4));
            List<Long> involved = List.of(Thread.currentThread().threadId());
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS_MAX && allocated > TOLERANCE; round++) {
                long before = allocatedBy(involved);
                for (int i = 0; i < ROUND; i++) {
                    awaitReady(pair.sender, sender);
                    sender.offer(view, null);
                }
                allocated = allocatedBy(involved) - before;
            }
            wider.memory().setAtIndex(ValueLayout.JAVA_FLOAT, 2, -1);
            awaitReady(pair.sender, sender);
            sender.offer(view, null);
            consumer.join();
            view.close();
            wider.close();
            assertTrue(allocated <= TOLERANCE, allocated + " bytes for " + ROUND + " transfers");
        }
    }

    /** It is computed in the receiver's slot: on the sending and the receiving thread and on the pollers of both devices. */
    @ParameterizedTest
    @MethodSource("everyWay")
    void placingATensorAllocatesNothing(ArrivalMode mode, Progress progress, boolean waits)
            throws InterruptedException {
        try (DevicePair pair = new DevicePair(DevicePair.options(mode).withProgress(progress))) {
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 4);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread consumer = Thread.ofPlatform().uncaughtExceptionHandler((thread, e) -> failure.set(e))
                    .start(() -> consume(pair.receiver, receiver, waits));
            TensorSender sender = pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT);
            assertTrue(sender.placesTensors());
            List<Long> involved = new ArrayList<>(pollers());
            involved.add(consumer.threadId());
            involved.add(Thread.currentThread().threadId());
            TensorLease lease = new TensorLease();
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS_MAX && allocated > TOLERANCE && failure.get() == null; round++) {
                long before = allocatedBy(involved);
                for (int i = 0; i < ROUND; i++) {
                    place(pair.sender, sender, lease, i);
                }
                allocated = allocatedBy(involved) - before;
            }
            place(pair.sender, sender, lease, -1);
            consumer.join();
            assertEquals(null, failure.get());
            assertTrue(allocated <= TOLERANCE, allocated + " bytes for " + ROUND + " transfers");
        }
    }

    private static void place(RdmaDevice device, TensorSender sender, TensorLease lease, float first) {
        long seen = device.activity();
        while (!sender.place(lease)) {
            DevicePair.rest(device, seen);
            seen = device.activity();
        }
        lease.memory().setAtIndex(ValueLayout.JAVA_FLOAT, 0, first);
        sender.offer(lease, null);
        lease.close();
    }

    static long allocatedBy(List<Long> involved) {
        return involved.stream().mapToLong(THREADS::getThreadAllocatedBytes).sum();
    }

    private static void send(RdmaDevice device, TensorSender sender, Tensor tensor, boolean waits) {
        for (int i = 0; i < ROUND; i++) {
            if (waits) {
                sender.send(tensor, DevicePair.TIMEOUT);
            } else {
                awaitReady(device, sender);
                sender.offer(tensor, null);
            }
        }
    }

    private static void awaitReady(RdmaDevice device, TensorSender sender) {
        long seen = device.activity();
        while (!sender.isReady()) {
            DevicePair.rest(device, seen);
            seen = device.activity();
        }
    }

    /** Until one begins with a negative number. */
    private static void consume(RdmaDevice device, TensorReceiver receiver, boolean waits) {
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

    static List<Long> pollers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("(sender|receiver)-poller-0")).map(Thread::threadId)
                .toList();
    }
}
