package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import com.sun.management.ThreadMXBean;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorView;

/** In steady state a transfer allocates nothing on the sender's Java heap, neither where it is offered nor where it is polled. */
class StaticPlacementGarbageTest {
    private static final Shape SHAPE = Shape.of(4, 4);
    private static final int ROUND = 20_000;
    /** Until the compiler has seen everything, boxes and views are real objects. */
    private static final int ROUNDS_MAX = 40;
    /** What a recompilation may allocate on a thread's behalf; the smallest object per transfer would be 20 times as much. */
    private static final long TOLERANCE = 16_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** A tensor and a view of another one, which is gathered, in turn. */
    @Test
    void sendingAllocatesNothing() throws InterruptedException {
        assertTrue(threads.isThreadAllocatedMemorySupported());
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, ElementType.FLOAT32, SHAPE, 4);
            TensorSender sender = pair.channel().sender("edge", ElementType.FLOAT32, SHAPE, DevicePair.TIMEOUT);
            AtomicBoolean done = new AtomicBoolean();
            Thread consumer = Thread.ofPlatform().start(() -> consume(pair.receiver, receiver, done));
            Tensor tensor = pair.floats(16, 1).reshaped(SHAPE);
            Tensor wider = pair.floats(32, 1).reshaped(Shape.of(4, 8));
            TensorView view = TensorView.of(wider, wider.layout().narrowed(1, 2, 4));
            long poller = pollerId();
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS_MAX && allocated > TOLERANCE; round++) {
                long before = allocatedBySender(poller);
                send(pair.sender, sender, tensor, view, ROUND);
                allocated = allocatedBySender(poller) - before;
            }
            done.set(true);
            consumer.join();
            view.close();
            wider.close();
            tensor.close();
            assertTrue(allocated <= TOLERANCE, allocated + " bytes for " + ROUND + " transfers");
        }
    }

    private long allocatedBySender(long poller) {
        return threads.getThreadAllocatedBytes(poller)
                + threads.getThreadAllocatedBytes(Thread.currentThread().threadId());
    }

    private static void send(RdmaDevice device, TensorSender sender, Tensor tensor, TensorView view, int count) {
        for (int sent = 0; sent < count;) {
            long seen = device.activity();
            SendResult result = sent % 2 == 0 ? sender.offer(tensor, null) : sender.offer(view, null);
            if (result == SendResult.SENT) {
                sent++;
            } else {
                device.awaitActivity(seen, 1_000_000);
            }
        }
    }

    private static void consume(RdmaDevice device, TensorReceiver receiver, AtomicBoolean done) {
        while (!done.get()) {
            long seen = device.activity();
            Tensor arrived = receiver.poll();
            if (arrived != null) {
                arrived.close();
            } else {
                device.awaitActivity(seen, 1_000_000);
            }
        }
    }

    private static long pollerId() {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals("sender-poller-0"))
                .mapToLong(Thread::threadId).max().orElseThrow();
    }
}
