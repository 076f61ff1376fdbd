package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;

/** A tensor in stripes, which several threads drive, allocates nothing on the Java heap either: neither at its ends nor where it is driven. */
class StripedGarbageTest {
    private static final String EDGE = "edge";
    private static final Shape SHAPE = Shape.of(1024);

    /** How it goes. */
    private enum Way {
        TAIL, IMMEDIATE, DYNAMIC, EXCHANGE
    }

    @ParameterizedTest
    @EnumSource
    void aTransferAllocatesNothing(Way way) throws InterruptedException {
        ArrivalMode mode = way == Way.IMMEDIATE ? ArrivalMode.IMMEDIATE : ArrivalMode.AUTO;
        try (DevicePair pair = new DevicePair(DevicePair.options(mode).withCompletionQueues(2).withQueuePairsPerPeer(3)
                .withStriping(Striping.over(3).withStripeByteSizeMin(1024)))) {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Predicate<TensorLease> poll = receiving(pair, way);
            Thread consumer = Thread.ofPlatform().uncaughtExceptionHandler((thread, e) -> failure.set(e))
                    .start(() -> consume(poll));
            Predicate<Tensor> offer = sending(pair, way);
            List<Long> involved = new ArrayList<>(StaticPlacementGarbageTest.pollers());
            involved.add(consumer.threadId());
            involved.add(Thread.currentThread().threadId());
            Tensor tensor = pair.floats(SHAPE.elementCount(), 1);
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < StaticPlacementGarbageTest.ROUNDS_MAX
                    && allocated > StaticPlacementGarbageTest.TOLERANCE && failure.get() == null; round++) {
                long before = StaticPlacementGarbageTest.allocatedBy(involved);
                for (int i = 0; i < StaticPlacementGarbageTest.ROUND && failure.get() == null; i++) {
                    send(pair.sender, offer, tensor);
                }
                allocated = StaticPlacementGarbageTest.allocatedBy(involved) - before;
            }
            Tensor last = pair.floats(SHAPE.elementCount(), -1);
            send(pair.sender, offer, last);
            consumer.join();
            last.close();
            tensor.close();
            assertEquals(null, failure.get());
            assertTrue(allocated <= StaticPlacementGarbageTest.TOLERANCE,
                    allocated + " bytes for " + StaticPlacementGarbageTest.ROUND + " transfers");
            assertTrue(pair.receiver.transferStatistics().getFirst().choice().endsWith("; in up to 3 stripes"));
        }
    }

    private static Predicate<TensorLease> receiving(DevicePair pair, Way way) {
        return switch (way) {
            case TAIL, IMMEDIATE -> {
                TensorReceiver receiver = pair.receiver.receiver(EDGE, pair.receiverArena, ElementType.FLOAT32, SHAPE,
                        3);
                yield lease -> receiver.poll(lease, DevicePair.TIMEOUT);
            }
            case DYNAMIC -> {
                DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 3);
                yield lease -> receiver.poll(lease, DevicePair.TIMEOUT);
            }
            case EXCHANGE -> {
                ExchangeReceiver receiver = pair.receiver.exchangeReceiver(EDGE, pair.receiverArena, 3);
                ExchangeRequest request = receiver.receive("x", 0);
                long[] step = {0};
                yield lease -> {
                    boolean isThere = request.await(DevicePair.TIMEOUT) && request.take(lease);
                    request.ask("x", ++step[0]);
                    return isThere;
                };
            }
        };
    }

    private static Predicate<Tensor> sending(DevicePair pair, Way way) {
        return switch (way) {
            case TAIL, IMMEDIATE -> {
                TensorSender sender = pair.channel().sender(EDGE, ElementType.FLOAT32, SHAPE, DevicePair.TIMEOUT);
                yield tensor -> sender.offer(tensor, null) == SendResult.SENT;
            }
            case DYNAMIC -> {
                DynamicTensorSender sender = pair.channel().dynamicSender(EDGE, DevicePair.TIMEOUT);
                yield tensor -> sender.offer(tensor, null) == SendResult.SENT;
            }
            case EXCHANGE -> {
                ExchangeSender sender = pair.channel().exchangeSender(EDGE,
                        ExchangeOptions.defaults().withEagerByteSizeMax(0), DevicePair.TIMEOUT);
                long[] step = {0};
                AtomicLong ended = new AtomicLong();
                SendCallback callback = failure -> ended.incrementAndGet();
                yield tensor -> {
                    boolean isTaken = step[0] - ended.get() < 4
                            && sender.offer("x", step[0], tensor, callback) == SendResult.SENT;
                    step[0] += isTaken ? 1 : 0;
                    return isTaken;
                };
            }
        };
    }

    private static void send(RdmaDevice device, Predicate<Tensor> offer, Tensor tensor) {
        long seen = device.activity();
        while (!offer.test(tensor)) {
            DevicePair.rest(device, seen);
            seen = device.activity();
        }
    }

    /** Until one begins with a negative number. */
    private static void consume(Predicate<TensorLease> poll) {
        TensorLease lease = new TensorLease();
        for (float first = 0; first >= 0;) {
            assertTrue(poll.test(lease));
            first = lease.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 0);
            lease.close();
        }
    }
}
