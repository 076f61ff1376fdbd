package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.spi.MemoryRegion;

/** Streams of tensors, as Reactive Streams want them (reactive-streams-jvm 1.0.4, the rules by their numbers), whoever drives. */
class StreamTest {
    private static final Shape SHAPE = Shape.of(16);
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int DEPTH = 2;

    /** What a subscriber has heard. */
    private static final class Ear implements Flow.Subscriber<Tensor> {
        final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
        final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
        private final AtomicInteger inside = new AtomicInteger();

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            this.subscription.complete(subscription);
        }

        @Override
        public void onNext(Tensor tensor) {
            // Rule 1.3: one after the other.
            heard.add(inside.incrementAndGet() == 1 ? tensor.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 0)
                    : "at once");
            tensor.close();
            inside.decrementAndGet();
        }

        @Override
        public void onError(Throwable failure) {
            heard.add(failure);
        }

        @Override
        public void onComplete() {
            heard.add("complete");
        }

        Object next() throws InterruptedException {
            return heard.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        }

        void request(long count) throws Exception {
            subscription.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS).request(count);
        }
    }

    private static RdmaDeviceOptions options(boolean byPollers) {
        return DevicePair.options(ArrivalMode.AUTO)
                .withProgress(byPollers ? Progress.pollers() : Progress.callers());
    }

    private static TensorReceiver receiver(DevicePair pair) {
        return pair.receiver.receiver("edge", pair.receiverArena, ElementType.FLOAT32, SHAPE, DEPTH);
    }

    private static TensorSender sender(DevicePair pair) throws Exception {
        return await(pair, pair.channel().senderAsync("edge", ElementType.FLOAT32, SHAPE, TIMEOUT));
    }

    /** The receiver's program, where callers drive, is this one: it answers. */
    private static <T> T await(DevicePair pair, CompletionStage<T> stage) throws Exception {
        CompletableFuture<T> future = stage.toCompletableFuture();
        long deadlineNs = System.nanoTime() + TIMEOUT.toNanos();
        while (!future.isDone() && System.nanoTime() < deadlineNs) {
            pair.receiver.progress();
            Thread.sleep(1);
        }
        return future.get(0, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStreamArrivesInOrderAndEndsWithItsPublisher(boolean byPollers) throws Exception {
        try (DevicePair pair = new DevicePair(options(byPollers));
                TensorReceiver receiver = receiver(pair)) {
            SubmissionPublisher<Tensor> publisher = new SubmissionPublisher<>(Runnable::run, DEPTH);
            Ear ear = new Ear();
            receiver.subscribe(ear);
            ear.request(Long.MAX_VALUE);
            ear.request(Long.MAX_VALUE);
            TensorSubscriber subscriber = sender(pair).subscriber(TIMEOUT);
            publisher.subscribe(subscriber);
            for (int i = 0; i < 50; i++) {
                publisher.submit(pair.floats(16, i));
            }
            publisher.close();
            for (int i = 0; i < 50; i++) {
                assertEquals((float) i, ear.next());
            }
            assertEquals("complete", ear.next());
            await(pair, subscriber.completion());
            assertTrue(ear.heard.isEmpty(), ear.heard.toString());
            // The next sender's tensors are another stream's.
            Ear next = new Ear();
            receiver.subscribe(next);
            next.request(1);
            try (TensorSender another = sender(pair); Tensor tensor = pair.floats(16, 7)) {
                await(pair, another.sendAsync(tensor, TIMEOUT));
                assertEquals(7f, next.next());
            }
            assertEquals("complete", next.next());
        }
    }

    /** Rules 1.1, 3.8 and 3.17. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noMoreThanWasAskedForIsToldAndTheSenderIsHeldUp(boolean byPollers) throws Exception {
        try (DevicePair pair = new DevicePair(options(byPollers));
                TensorReceiver receiver = receiver(pair);
                Tensor tensor = pair.floats(16, 1)) {
            TensorSender sender = sender(pair);
            Ear ear = new Ear();
            receiver.subscribe(ear);
            ear.request(1);
            for (int i = 0; i < DEPTH + 1; i++) {
                sender.send(tensor, TIMEOUT);
            }
            assertEquals(1f, ear.next());
            assertEquals(SendResult.BACK_PRESSURED, sender.offer(tensor, null));
            assertTrue(ear.heard.isEmpty(), "one was asked for");
            ear.request(DEPTH);
            for (int i = 0; i < DEPTH; i++) {
                assertEquals(1f, ear.next());
            }
            // Rule 3.6: once cancelled, requests are nothing; the tensor stays for who polls.
            Flow.Subscription subscription = ear.subscription.get();
            subscription.cancel();
            subscription.cancel();
            subscription.request(1);
            sender.send(tensor, TIMEOUT);
            try (Tensor polled = receiver.poll(TIMEOUT)) {
                assertEquals(1f, polled.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 0));
            }
            assertTrue(ear.heard.isEmpty(), ear.heard.toString());
            await(pair, sender.closeAsync());
        }
    }

    /** Rule 1.5: whoever has not asked for what was sent has not heard all of it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theEndComesAfterAllThatWasSent(boolean byPollers) throws Exception {
        try (DevicePair pair = new DevicePair(options(byPollers));
                TensorReceiver receiver = receiver(pair);
                Tensor tensor = pair.floats(16, 1)) {
            TensorSender sender = sender(pair);
            Ear ear = new Ear();
            receiver.subscribe(ear);
            sender.send(tensor, TIMEOUT);
            await(pair, sender.closeAsync());
            ear.request(1);
            assertEquals(1f, ear.next());
            assertEquals("complete", ear.next());
        }
    }

    /** Rules 1.9, 1.10, 2.5, 2.13 and 3.9. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void wrongUseIsTold(boolean byPollers) throws Exception {
        try (DevicePair pair = new DevicePair(options(byPollers)); TensorReceiver receiver = receiver(pair)) {
            assertThrows(NullPointerException.class, () -> receiver.subscribe(null));
            Ear ear = new Ear();
            receiver.subscribe(ear);
            Ear second = new Ear();
            receiver.subscribe(second);
            second.request(1);
            assertInstanceOf(IllegalStateException.class, second.next());
            ear.request(0);
            assertInstanceOf(IllegalArgumentException.class, ear.next());
            ear.request(1);
            assertTrue(ear.heard.isEmpty(), ear.heard.toString());
            TensorSubscriber subscriber = sender(pair).subscriber(TIMEOUT);
            assertThrows(NullPointerException.class, () -> subscriber.onSubscribe(null));
            assertThrows(NullPointerException.class, () -> subscriber.onNext(null));
            assertThrows(NullPointerException.class, () -> subscriber.onError(null));
            Asked first = new Asked();
            subscriber.onSubscribe(first);
            assertEquals(DEPTH, first.asked, "as many as there are slots");
            Asked another = new Asked();
            subscriber.onSubscribe(another);
            assertTrue(another.isCancelled && another.asked == 0 && !first.isCancelled, "the first one counts");
            subscriber.onComplete();
            await(pair, subscriber.completion());
        }
    }

    /** What a subscriber asks of a publisher. */
    private static final class Asked implements Flow.Subscription {
        long asked;
        boolean isCancelled;

        @Override
        public void request(long count) {
            asked += count;
        }

        @Override
        public void cancel() {
            isCancelled = true;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPublisherThatFailsFailsTheStreamOnceAtBothEnds(boolean byPollers) throws Exception {
        try (DevicePair pair = new DevicePair(options(byPollers)); TensorReceiver receiver = receiver(pair)) {
            Ear ear = new Ear();
            receiver.subscribe(ear);
            ear.request(10);
            TensorSender sender = sender(pair);
            TensorSubscriber subscriber = sender.subscriber(TIMEOUT);
            SubmissionPublisher<Tensor> publisher = new SubmissionPublisher<>(Runnable::run, DEPTH);
            publisher.subscribe(subscriber);
            publisher.submit(pair.floats(16, 1));
            assertEquals(1f, ear.next());
            publisher.closeExceptionally(new IllegalStateException("no more data"));
            TransferException failure = assertInstanceOf(TransferException.class, ear.next());
            assertTrue(failure.getMessage().contains("no more data"), failure.getMessage());
            assertThrows(ExecutionException.class, () -> await(pair, subscriber.completion()));
            assertTrue(ear.heard.isEmpty(), ear.heard.toString());
            sender.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void stagesCompleteWhateverDrives(boolean byPollers) throws Exception {
        try (DevicePair pair = new DevicePair(options(byPollers));
                TensorReceiver receiver = receiver(pair);
                Tensor tensor = pair.floats(16, 3)) {
            TensorSender sender = sender(pair);
            CompletableFuture<Tensor> polled = receiver.pollAsync(Duration.ofMillis(1)).toCompletableFuture();
            assertNull(polled.get(20, TimeUnit.SECONDS), "nothing has come in time");
            polled = receiver.pollAsync(TIMEOUT).toCompletableFuture();
            for (int i = 0; i < DEPTH; i++) {
                sender.sendAsync(tensor, TIMEOUT).toCompletableFuture().get(20, TimeUnit.SECONDS);
            }
            try (Tensor arrived = polled.get(20, TimeUnit.SECONDS)) {
                assertEquals(3f, arrived.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 0));
            }
            pair.receiver.handle("twice", (peer, request) -> new byte[]{(byte) (2 * request[0])});
            byte[] answer = await(pair,
                    pair.sender.callAsync(pair.receiver.endpoint(), "twice", new byte[]{21}, TIMEOUT));
            assertEquals(42, answer[0]);
            MemoryRegion near = pair.sender.allocateRegion(4096);
            MemoryRegion far = pair.receiver.allocateRegion(4096);
            near.memory().set(ValueLayout.JAVA_BYTE, 7, (byte) 7);
            RemoteRegion remote = new RemoteRegion(far.address(), 4096, far.rkey());
            RdmaChannel channel = await(pair, pair.sender.channelAsync(pair.receiver.endpoint(), 1));
            await(pair, channel.memcpyAsync(near, 0, remote, 0, 4096, Direction.LOCAL_TO_REMOTE, TIMEOUT));
            assertEquals(7, far.memory().get(ValueLayout.JAVA_BYTE, 7));
            ExecutionException refused = assertThrows(ExecutionException.class, () -> await(pair,
                    channel.memcpyAsync(near, 0, remote, 4090, 8, Direction.LOCAL_TO_REMOTE, TIMEOUT)));
            assertInstanceOf(IndexOutOfBoundsException.class, refused.getCause());
            await(pair, sender.closeAsync());
        }
    }
}
