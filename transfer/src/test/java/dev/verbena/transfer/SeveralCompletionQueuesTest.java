package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/** What comes over a queue pair of one completion queue changes nothing at those of another, which other threads drive. */
@Timeout(60)
class SeveralCompletionQueuesTest {
    private static final ElementType TYPE = ElementType.FLOAT32;
    private static final Shape SHAPE = Shape.of(16);
    /** Of a connection; with two completion queues the first and the second are not on the same. */
    private static final int RPC = 0;
    private static final int DATA = 1;

    /** Of the second connection, whose queue pairs take the completion queues from the second on: so on that of {@link #DATA} of the first. */
    private static final int CHANNEL_BESIDE = 1;

    @Test
    void aFarewellPostsNothingWhereSomebodyElseDrives() throws Exception {
        RdmaDeviceOptions options = DevicePair.options(ArrivalMode.TAIL).withCompletionQueues(2);
        PostTally tally = new PostTally(Fabrics.select("shm", options.network()).open(options.network()));
        try (DevicePair pair = new DevicePair(RdmaDevice.create(options.withName("sender")),
                RdmaDevice.create(options.withName("receiver"), tally.fabric()));
                TensorArena arenaThere = TensorArena.create(pair.sender.slabSource(), 1 << 20, 1 << 20)) {
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SHAPE, 1);
            TensorSender sender = pair.channel().sender("edge", TYPE, SHAPE, DevicePair.TIMEOUT);
            try (Tensor tensor = pair.floats(SHAPE.elementCount(), 1)) {
                assertEquals(SendResult.SENT, sender.offer(tensor, null));
            }
            Tensor arrived = DevicePair.await(pair.receiver, receiver::poll);
            CountDownLatch isDriven = new CountDownLatch(1);
            CountDownLatch goesOn = new CountDownLatch(1);
            TensorReceiver beside = pair.sender.receiver("beside", arenaThere, TYPE, SHAPE, 1);
            try (TensorSender back = pair.receiver.channel(pair.sender.endpoint(), CHANNEL_BESIDE).sender("beside",
                    TYPE, SHAPE, DevicePair.TIMEOUT)) {
                Thread driver = Thread.ofPlatform().start(() -> offerAndStay(pair, back, isDriven, goesOn));
                isDriven.await();
                long posted = tally.of(DATA).doorbells.get();
                long answered = tally.of(RPC).doorbells.get();
                // Who drives has to acknowledge it, but does not come to that.
                arrived.close();
                Thread closing = Thread.ofPlatform().start(sender::close);
                DevicePair.awaitTrue(pair.receiver, () -> tally.of(RPC).doorbells.get() > answered);
                assertEquals(posted, tally.of(DATA).doorbells.get());
                goesOn.countDown();
                closing.join();
                driver.join();
                assertEquals(posted + 1, tally.of(DATA).doorbells.get());
            } finally {
                goesOn.countDown();
            }
            beside.close();
            receiver.close();
        }
    }

    private static void offerAndStay(DevicePair pair, TensorSender back, CountDownLatch isDriven,
            CountDownLatch goesOn) {
        try (Tensor tensor = pair.receiverArena.allocate(TYPE, SHAPE)) {
            assertEquals(SendResult.SENT, back.offer(tensor, failure -> {
                assertNull(failure);
                isDriven.countDown();
                awaitUninterruptibly(goesOn);
            }));
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await(DevicePair.TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
