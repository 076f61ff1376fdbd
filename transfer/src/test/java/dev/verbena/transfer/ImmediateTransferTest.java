package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/** Small tensors over {@code shm} are written, and read, by who offers or takes them: nothing is posted. */
class ImmediateTransferTest {
    private static final int DATA = 1;
    private static final ElementType TYPE = ElementType.FLOAT32;
    private static final Shape SMALL = Shape.of(1001);
    private static final Shape LARGE = Shape.of(1 << 20);
    private static final int TENSORS = 50;

    private static final class Ends implements AutoCloseable {
        final PostTally sends;
        final PostTally receives;
        final DevicePair pair;

        Ends(ArrivalMode mode) {
            this(DevicePair.options(mode), false);
        }

        Ends(RdmaDeviceOptions options, boolean isPostingAll) {
            sends = new PostTally(Fabrics.select("shm", options.network()).open(options.network()), isPostingAll);
            receives = new PostTally(Fabrics.select("shm", options.network()).open(options.network()), isPostingAll);
            pair = new DevicePair(RdmaDevice.create(options.withName("sender"), sends.fabric()),
                    RdmaDevice.create(options.withName("receiver"), receives.fabric()));
        }

        long posted() {
            return sends.of(DATA).requests.get() + receives.of(DATA).requests.get();
        }

        long words() {
            return sends.of(DATA).words.get() + receives.of(DATA).words.get();
        }

        long untold() {
            return sends.of(DATA).untold.get() + receives.of(DATA).untold.get();
        }

        @Override
        public void close() {
            pair.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TAIL", "IMMEDIATE"})
    void smallTensorsArePostedOnlyIfTheyAreCounted(ArrivalMode mode) {
        try (Ends ends = new Ends(mode)) {
            TensorReceiver receiver = ends.pair.receiver.receiver("edge", ends.pair.receiverArena, TYPE, SMALL, 2);
            TensorSender sender = ends.pair.channel().sender("edge", TYPE, SMALL, DevicePair.TIMEOUT);
            long before = ends.posted();
            for (int i = 0; i < TENSORS; i++) {
                pass(ends.pair, sender, receiver, i);
            }
            if (mode == ArrivalMode.TAIL) {
                assertEquals(before, ends.posted());
            } else {
                assertTrue(ends.posted() >= before + TENSORS, () -> "posted=" + ends.posted());
            }
            sender.close();
            receiver.close();
        }
    }

    private static void pass(DevicePair pair, TensorSender sender, TensorReceiver receiver, int number) {
        try (Tensor tensor = pair.floats(SMALL.elementCount(), number)) {
            DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, null) == SendResult.SENT);
            Tensor arrived = DevicePair.await(pair.receiver, receiver::poll);
            assertEquals(-1, arrived.memory().mismatch(tensor.memory()));
            arrived.close();
        }
    }

    /** To poll takes a driver some time, and what is found can wait: the tensor must not. */
    @Test
    void whatIsPostedIsPostedBeforeAnythingIsPolled() {
        RdmaDeviceOptions options = DevicePair.options(ArrivalMode.IMMEDIATE).withProgress(Progress.callers());
        try (Ends ends = new Ends(options, true)) {
            RdmaDevice device = ends.pair.sender;
            TensorReceiver receiver = ends.pair.receiver.receiver("edge", ends.pair.receiverArena, TYPE, SMALL, 2);
            TensorSender sender = beside(ends.pair.receiver,
                    () -> ends.pair.channel().sender("edge", TYPE, SMALL, DevicePair.TIMEOUT));
            List<Long> heardBeforeOffer = new ArrayList<>();
            List<Long> heardBeforePost = new ArrayList<>();
            ends.sends.of(DATA).beforePost = () -> heardBeforePost.add(device.activity());
            try (Tensor tensor = ends.pair.floats(SMALL.elementCount(), 1)) {
                for (int i = 0; i < TENSORS; i++) {
                    heardBeforeOffer.add(device.activity());
                    assertEquals(SendResult.SENT, sender.offer(tensor, null));
                    DevicePair.await(ends.pair.receiver, receiver::poll).close();
                    ends.pair.receiver.progress();
                }
            }
            assertEquals(heardBeforeOffer, heardBeforePost);
            assertNotEquals(heardBeforeOffer.getFirst(), heardBeforeOffer.getLast());
            beside(ends.pair.receiver, () -> {
                sender.close();
                return true;
            });
            receiver.close();
        }
    }

    @Test
    void smallDynamicTensorsAreReadAtOnceAndLargeOnesByRequest() {
        try (Ends ends = new Ends(ArrivalMode.TAIL)) {
            DynamicTensorReceiver receiver = ends.pair.receiver.dynamicReceiver("edge", ends.pair.receiverArena, 2);
            DynamicTensorSender sender = ends.pair.channel().dynamicSender("edge", DevicePair.TIMEOUT);
            long before = ends.posted();
            for (int i = 0; i < TENSORS; i++) {
                passDynamic(ends.pair, sender, receiver, SMALL, i);
            }
            assertEquals(before, ends.posted());
            passDynamic(ends.pair, sender, receiver, LARGE, 7);
            assertTrue(ends.posted() > before, () -> "posted=" + ends.posted());
            sender.close();
            receiver.close();
        }
    }

    /** Who has many receivers waits for activity, then looks at all of them. */
    @Test
    void whoWaitsForActivityHearsOfATensorThatNobodyRangFor() {
        RdmaDeviceOptions options = DevicePair.options(ArrivalMode.TAIL).withProgress(Progress.callers().withSpins(0));
        try (DevicePair pair = new DevicePair(options)) {
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SMALL, 2);
            TensorSender sender = beside(pair.receiver,
                    () -> pair.channel().sender("edge", TYPE, SMALL, DevicePair.TIMEOUT));
            for (int i = 0; i < TENSORS; i++) {
                long seen = quiet(pair.receiver);
                try (Tensor tensor = pair.floats(SMALL.elementCount(), i)) {
                    assertEquals(SendResult.SENT, sender.offer(tensor, null));
                    pair.receiver.awaitActivity(seen, 0);
                    assertNotEquals(seen, pair.receiver.activity());
                    receiver.poll().close();
                    pair.receiver.progress();
                }
            }
            beside(pair.receiver, () -> {
                sender.close();
                return true;
            });
            receiver.close();
        }
    }

    /** What waits for that device, while this thread drives it. */
    private static <T> T beside(RdmaDevice device, Supplier<T> waiting) {
        CompletableFuture<T> stage = CompletableFuture.supplyAsync(waiting);
        DevicePair.awaitTrue(device, stage::isDone);
        return stage.join();
    }

    /** @return its activity, when it has heard of everything */
    private static long quiet(RdmaDevice device) {
        long seen = device.activity();
        for (int polls = 0; polls < 1_000; polls++) {
            device.progress();
            if (device.activity() != seen) {
                seen = device.activity();
                polls = 0;
            }
        }
        return seen;
    }

    /** Whoever waits for a tensor looks at its tail; a member of a group does not, it is its engine that watches. */
    @Test
    void whoPollsIsToldOfWhatAGroupPutsAndNotOfTensors() throws Exception {
        try (Ends ends = new Ends(ArrivalMode.TAIL)) {
            try (TensorReceiver receiver = ends.pair.receiver.receiver("edge", ends.pair.receiverArena, TYPE, SMALL, 2);
                    TensorSender sender = ends.pair.channel().sender("edge", TYPE, SMALL, DevicePair.TIMEOUT)) {
                pass(ends.pair, sender, receiver, 1);
            }
            assertTrue(ends.sends.of(DATA).untold.get() > 0);
            long before = ends.untold();
            List<Endpoint> members = List.of(ends.pair.sender.endpoint(), ends.pair.receiver.endpoint());
            Group first = ends.pair.sender.group("pair", 0, members, ends.pair.senderArena, GroupOptions.defaults());
            Group second = ends.pair.receiver.group("pair", 1, members, ends.pair.receiverArena,
                    GroupOptions.defaults());
            Thread other = Thread.ofPlatform().start(() -> sum(second, ends.pair.receiverArena));
            sum(first, ends.pair.senderArena);
            other.join();
            second.close();
            first.close();
            assertTrue(ends.words() > 2 * TENSORS, () -> "words=" + ends.words());
            assertEquals(before, ends.untold());
        }
    }

    private static void sum(Group group, TensorArena arena) {
        group.join(DevicePair.TIMEOUT);
        for (int i = 0; i < TENSORS; i++) {
            try (Tensor tensor = arena.allocate(TYPE, SMALL)) {
                tensor.memory().fill((byte) 0);
                group.allReduce(tensor, Reduction.SUM, DevicePair.TIMEOUT);
            }
        }
    }

    private static void passDynamic(DevicePair pair, DynamicTensorSender sender, DynamicTensorReceiver receiver,
            Shape shape, int number) {
        try (Tensor tensor = pair.floats(shape.elementCount(), number)) {
            DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, null) == SendResult.SENT);
            Tensor arrived = DevicePair.await(pair.receiver, receiver::poll);
            assertEquals(-1, arrived.memory().mismatch(tensor.memory()));
            arrived.close();
        }
    }

    /** In the order of the offers, whichever way a tensor went. */
    @Test
    void callbacksComeInOrderWhereSomeArePlacedAndOthersPosted() {
        try (Ends ends = new Ends(ArrivalMode.TAIL)) {
            TensorReceiver receiver = ends.pair.receiver.receiver("edge", ends.pair.receiverArena, TYPE, LARGE, 4);
            TensorSender sender = ends.pair.channel().sender("edge", TYPE, LARGE, DevicePair.TIMEOUT);
            List<Integer> heard = new ArrayList<>();
            try (Tensor tensor = ends.pair.floats(LARGE.elementCount(), 5)) {
                for (int i = 0; i < TENSORS; i++) {
                    int number = i;
                    SendCallback callback = failure -> {
                        assertNull(failure);
                        heard.add(number);
                    };
                    if (i % 2 == 0) {
                        DevicePair.awaitTrue(ends.pair.sender, () -> sender.offer(tensor, callback) == SendResult.SENT);
                    } else {
                        Tensor placed = DevicePair.await(ends.pair.sender, () -> sender.place(ends.pair.senderArena));
                        placed.memory().set(ValueLayout.JAVA_FLOAT, 0, number);
                        assertEquals(SendResult.SENT, sender.offer(placed, callback));
                        placed.close();
                    }
                    Tensor arrived = DevicePair.await(ends.pair.receiver, receiver::poll);
                    assertEquals(i % 2 == 0 ? 5 : number, arrived.memory().get(ValueLayout.JAVA_FLOAT, 0));
                    arrived.close();
                }
                DevicePair.awaitTrue(ends.pair.sender, () -> heard.size() == TENSORS);
            }
            assertEquals(heard.stream().sorted().toList(), heard);
            sender.close();
            receiver.close();
        }
    }

    @Test
    void aClosedTensorTakesNoSlot() {
        try (Ends ends = new Ends(ArrivalMode.TAIL)) {
            for (Shape shape : List.of(SMALL, LARGE)) {
                TensorReceiver receiver = ends.pair.receiver.receiver("edge" + shape, ends.pair.receiverArena, TYPE,
                        shape, 2);
                TensorSender sender = ends.pair.channel().sender("edge" + shape, TYPE, shape, DevicePair.TIMEOUT);
                Tensor closed = ends.pair.floats(shape.elementCount(), 1);
                closed.close();
                IllegalStateException refused = assertThrows(IllegalStateException.class,
                        () -> sender.offer(closed, null));
                assertTrue(refused.getMessage().contains("after free"), refused.getMessage());
                try (Tensor tensor = ends.pair.floats(shape.elementCount(), 2)) {
                    assertEquals(SendResult.SENT, sender.offer(tensor, null));
                    Tensor arrived = DevicePair.await(ends.pair.receiver, receiver::poll);
                    assertEquals(2, arrived.memory().get(ValueLayout.JAVA_FLOAT, 0));
                    arrived.close();
                }
                sender.close();
                receiver.close();
            }
        }
    }

    /** Whoever does nothing but offer answers nevertheless: a receiver that closes need not cut it off. */
    @Test
    void aSenderThatOnlyOffersHearsThatItsReceiverCloses() throws Exception {
        RdmaDeviceOptions options = DevicePair.options(ArrivalMode.TAIL).withProgress(Progress.callers());
        try (DevicePair pair = new DevicePair(options)) {
            TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, TYPE, SMALL, 4);
            AtomicReference<Throwable> end = new AtomicReference<>();
            Thread offering = Thread.ofPlatform().start(() -> {
                try (Tensor tensor = pair.floats(SMALL.elementCount(), 1)) {
                    TensorSender sender = pair.channel().sender("edge", TYPE, SMALL, DevicePair.TIMEOUT);
                    while (sender.offer(tensor, null) != null) {
                        Thread.onSpinWait();
                    }
                } catch (TransferException e) {
                    end.set(e);
                }
            });
            for (int i = 0; i < TENSORS; i++) {
                DevicePair.await(pair.receiver, receiver::poll).close();
            }
            receiver.close();
            offering.join();
            assertTrue(end.get().getMessage().contains("closed the receiver"), end.get().getMessage());
        }
    }
}
