package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.spi.MemoryRegion;

/** One owner of failure: whatever fails first ends the connection, and all on it hear of it, on both sides. */
class FailureTest {
    private static final Shape SHAPE = Shape.of(16);

    private static RdmaDeviceOptions options() {
        return DevicePair.options(ArrivalMode.AUTO);
    }

    /** A write to where nothing is may not leave the receiver polling null and the sender back-pressured for ever. */
    @ParameterizedTest
    @EnumSource(value = ArrivalMode.class, names = {"TAIL", "IMMEDIATE"})
    void aBadCopyFailsSendersReceiversAndCallsOfTheConnection(ArrivalMode mode) {
        try (DevicePair pair = new DevicePair(DevicePair.options(mode));
                MemoryRegion near = pair.sender.allocateRegion(4096)) {
            List<String> lostBySender = new CopyOnWriteArrayList<>();
            List<String> lostByReceiver = new CopyOnWriteArrayList<>();
            pair.sender.onPeerLost(lostBySender::add);
            pair.receiver.onPeerLost(lostByReceiver::add);
            TensorReceiver in = pair.receiver.receiver("edge", pair.receiverArena, ElementType.FLOAT32, SHAPE, 2);
            RdmaChannel channel = pair.channel();
            TensorSender out = channel.sender("edge", ElementType.FLOAT32, SHAPE, DevicePair.TIMEOUT);
            AtomicReference<TransferException> failure = new AtomicReference<>();
            RemoteRegion nowhere = new RemoteRegion(4096, 4096, 12345);
            channel.memcpy(near, 0, nowhere, 0, 64, Direction.LOCAL_TO_REMOTE, failure::set);
            TransferException cause = DevicePair.await(pair.sender, failure::get);
            assertTrue(cause.getMessage().contains("REMOTE_ACCESS_ERROR"), cause.getMessage());

            try (Tensor tensor = pair.floats(16, 1)) {
                DevicePair.await(pair.sender, () -> thrown(() -> out.offer(tensor, null)));
            }
            TransferException atReceiver = DevicePair.await(pair.receiver, () -> thrown(in::poll));
            assertTrue(atReceiver.getMessage().contains("sender"), atReceiver.getMessage());
            DevicePair.awaitTrue(pair.receiver, () -> lostByReceiver.size() == 1);
            DevicePair.awaitTrue(pair.sender, () -> lostBySender.size() == 1);
            in.close();

            // A new connection takes the place of the failed one, and works.
            RdmaChannel next = pair.channel();
            assertNotSame(channel, next);
            assertThrows(TransferException.class,
                    () -> channel.memcpy(near, 0, nowhere, 0, 64, Direction.LOCAL_TO_REMOTE, null));
            TensorReceiver inAgain = pair.receiver.receiver("again", pair.receiverArena, ElementType.FLOAT32, SHAPE, 2);
            TensorSender outAgain = next.sender("again", ElementType.FLOAT32, SHAPE, DevicePair.TIMEOUT);
            try (Tensor tensor = pair.floats(16, 5)) {
                assertEquals(SendResult.SENT, outAgain.offer(tensor, null));
                try (Tensor arrived = DevicePair.await(pair.receiver, inAgain::poll)) {
                    assertEquals(-1, tensor.memory().mismatch(arrived.memory()));
                }
            }
            assertEquals(1, lostBySender.size());
            assertEquals(1, lostByReceiver.size());
        }
    }

    private static TransferException thrown(Runnable attempt) {
        try {
            attempt.run();
            return null;
        } catch (TransferException e) {
            return e;
        }
    }

    /** Every copy under way ends with its callback, once, although the connection is given up by another thread meanwhile. */
    @ParameterizedTest
    @EnumSource(End.class)
    void nothingUnderWayIsForgotten(End end) throws InterruptedException {
        int rounds = 50;
        for (int round = 0; round < rounds; round++) {
            AtomicInteger started = new AtomicInteger();
            AtomicInteger ended = new AtomicInteger();
            try (DevicePair pair = new DevicePair(options());
                    MemoryRegion near = pair.sender.allocateRegion(1 << 20);
                    MemoryRegion far = pair.receiver.allocateRegion(1 << 20)) {
                RdmaChannel channel = pair.channel();
                RemoteRegion remote = new RemoteRegion(far.address(), 1 << 20, far.rkey());
                CountDownLatch isRunning = new CountDownLatch(1);
                Thread copying = Thread.ofPlatform().start(() -> {
                    try {
                        while (true) {
                            if (channel.memcpy(near, 0, remote, 0, 1 << 18, Direction.LOCAL_TO_REMOTE,
                                    failure -> ended.incrementAndGet()) == SendResult.SENT) {
                                started.incrementAndGet();
                                isRunning.countDown();
                            }
                        }
                    } catch (TransferException e) {
                        assertNotNull(e.getMessage());
                    }
                });
                isRunning.await();
                end.device(pair, round);
                copying.join();
                DevicePair.awaitTrue(pair.sender, () -> ended.get() == started.get());
            }
            assertEquals(started.get(), ended.get());
        }
    }

    /** Who ends it, and how. */
    private enum End {
        ABORT_HERE {
            @Override
            void device(DevicePair pair, int round) {
                pair.sender.abort("round " + round);
            }
        },
        ABORT_THERE {
            @Override
            void device(DevicePair pair, int round) {
                pair.receiver.abort("round " + round);
            }
        },
        CLOSE_THERE {
            @Override
            void device(DevicePair pair, int round) {
                pair.receiver.close();
            }
        };

        abstract void device(DevicePair pair, int round);
    }

    /** An abort while tensors wait for their turn leaves none of them pinned. */
    @ParameterizedTest
    @EnumSource(value = ArrivalMode.class, names = {"TAIL", "IMMEDIATE"})
    void tensorsUnderWayAreGivenBack(ArrivalMode mode) {
        try (DevicePair pair = new DevicePair(DevicePair.options(mode))) {
            Shape shape = Shape.of(1 << 20);
            TensorReceiver in = pair.receiver.receiver("edge", pair.receiverArena, ElementType.UINT8, shape, 4);
            TensorSender out = pair.channel().sender("edge", ElementType.UINT8, shape, DevicePair.TIMEOUT);
            AtomicInteger ended = new AtomicInteger();
            for (int i = 0; i < 4; i++) {
                try (Tensor tensor = pair.senderArena.allocate(ElementType.UINT8, shape)) {
                    assertEquals(SendResult.SENT, out.offer(tensor, failure -> ended.incrementAndGet()));
                }
            }
            pair.sender.abort("enough");
            DevicePair.awaitTrue(pair.sender, () -> ended.get() == 4);
            assertEquals(0, pair.senderArena.statistics().liveByteSize());
            assertThrows(TransferException.class, () -> {
                while (in.poll() != null) {
                    // What has arrived before may still be read.
                }
                DevicePair.await(pair.receiver, () -> thrown(in::poll) != null ? Boolean.TRUE : null);
                in.poll();
            });
            in.close();
        }
    }

    /** Whatever a handler throws, who calls is answered; and the next call is, too. */
    @ParameterizedTest
    @EnumSource(value = ArrivalMode.class, names = "AUTO")
    void anErrorInAHandlerIsAnAnswer(ArrivalMode mode) {
        try (DevicePair pair = new DevicePair(DevicePair.options(mode))) {
            pair.receiver.handle("broken", (peer, request) -> {
                throw new StackOverflowError("as deep as it gets");
            });
            pair.receiver.handle("echo", (peer, request) -> request);
            Endpoint remote = pair.receiver.endpoint();
            TransferException broken = assertThrows(TransferException.class,
                    () -> pair.sender.call(remote, "broken", new byte[1], DevicePair.TIMEOUT));
            assertTrue(broken.getMessage().contains("as deep as it gets"), broken.getMessage());
            assertArrayEquals(new byte[3], pair.sender.call(remote, "echo", new byte[3], DevicePair.TIMEOUT));
        }
    }

    /** A call that nobody waits for any more is not made later. */
    @ParameterizedTest
    @EnumSource(value = ArrivalMode.class, names = "AUTO")
    void aCallThatTimedOutWhileItWaitedIsNotMade(ArrivalMode mode) throws InterruptedException {
        try (DevicePair pair = new DevicePair(DevicePair.options(mode))) {
            CountDownLatch isInside = new CountDownLatch(1);
            CountDownLatch mayAnswer = new CountDownLatch(1);
            List<Byte> served = new CopyOnWriteArrayList<>();
            pair.receiver.handle("slow", (peer, request) -> {
                served.add(request[0]);
                isInside.countDown();
                try {
                    mayAnswer.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                return request;
            });
            Endpoint remote = pair.receiver.endpoint();
            AtomicReference<byte[]> answer = new AtomicReference<>();
            Thread first = Thread.ofPlatform()
                    .start(() -> answer.set(pair.sender.call(remote, "slow", new byte[]{1}, DevicePair.TIMEOUT)));
            isInside.await();
            TransferException late = assertThrows(TransferException.class,
                    () -> pair.sender.call(remote, "slow", new byte[]{2}, Duration.ofMillis(20)));
            assertTrue(late.getMessage().contains("no answer"), late.getMessage());
            mayAnswer.countDown();
            first.join();
            assertArrayEquals(new byte[]{1}, answer.get());
            assertArrayEquals(new byte[]{3}, pair.sender.call(remote, "slow", new byte[]{3}, DevicePair.TIMEOUT));
            assertEquals(List.of((byte) 1, (byte) 3), served);
        }
    }

    /** It would wait for an answer that only its own thread can take. */
    @ParameterizedTest
    @EnumSource(value = ArrivalMode.class, names = "AUTO")
    void aCallFromAHandlerIsRefused(ArrivalMode mode) {
        try (DevicePair pair = new DevicePair(DevicePair.options(mode))) {
            pair.sender.handle("echo", (peer, request) -> request);
            pair.receiver.handle("indirect", (peer, request) -> pair.receiver.call(pair.sender.endpoint(), "echo",
                    request, DevicePair.TIMEOUT));
            assertNull(
                    thrown(() -> pair.receiver.call(pair.sender.endpoint(), "echo", new byte[1], DevicePair.TIMEOUT)));
            TransferException refused = assertThrows(TransferException.class,
                    () -> pair.sender.call(pair.receiver.endpoint(), "indirect", new byte[1], DevicePair.TIMEOUT));
            assertTrue(refused.getMessage().contains("from a callback or a handler"), refused.getMessage());
        }
    }
}
