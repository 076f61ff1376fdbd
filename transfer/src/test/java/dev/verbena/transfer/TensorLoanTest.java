package dev.verbena.transfer;

import static dev.verbena.transfer.DevicePair.TIMEOUT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;

/** Tensors that are used where they lie with their sender, and when it gets them back, whatever ends first. */
class TensorLoanTest {
    private static final String EDGE = "edge";
    private static final String AGREEMENT = "loans";
    private static final int LOANS_MAX = 1024;

    private final DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO));
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger returned = new AtomicInteger();
    private final SendCallback callback = failure -> {
        if (failure != null) {
            failures.add(failure.getMessage());
        }
        returned.incrementAndGet();
    };
    private DynamicTensorReceiver receiver;
    private DynamicTensorSender sender;

    @AfterEach
    void close() {
        if (sender != null) {
            sender.close();
        }
        if (receiver != null) {
            receiver.close();
        }
        pair.close();
        pair.closeArenas();
    }

    private void open(int depth) {
        receiver = pair.receiver.borrowingReceiver(EDGE, pair.receiverArena, depth, AGREEMENT);
        sender = pair.channel().lendingSender(EDGE, AGREEMENT, TIMEOUT);
        assertTrue(sender.lends());
        assertTrue(receiver.borrows());
    }

    private Tensor lent(long count, float first) {
        Tensor tensor = pair.floats(count, first);
        DevicePair.awaitTrue(pair.sender, () -> sender.lend(tensor, callback) == SendResult.SENT);
        return tensor;
    }

    private Tensor polled() {
        Tensor tensor = receiver.poll(TIMEOUT);
        assertNotNull(tensor, "nothing came");
        return tensor;
    }

    private static float first(Tensor tensor) {
        return tensor.memory().get(ValueLayout.JAVA_FLOAT, 0);
    }

    private void awaitReturned(int count) {
        DevicePair.awaitTrue(pair.sender, () -> returned.get() == count);
        assertEquals(0, sender.onLoan());
    }

    private void awaitAllFree() {
        DevicePair.awaitTrue(pair.sender, () -> pair.senderArena.statistics().liveByteSize() == 0);
    }

    @Test
    void whatIsLentIsReadWhereItLiesAndNobodyMovesIt() {
        open(4);
        try (Tensor tensor = lent(100_000, 7)) {
            try (Tensor borrowed = polled()) {
                assertTrue(DynamicTensorReceiver.isBorrowed(borrowed));
                assertEquals(ElementType.FLOAT32, borrowed.type());
                assertEquals(Shape.of(100_000), borrowed.shape());
                assertEquals(-1, MemorySegment.mismatch(tensor.memory(), 0, tensor.byteSize(), borrowed.memory(), 0,
                        borrowed.byteSize()));
                tensor.memory().setAtIndex(ValueLayout.JAVA_FLOAT, 99_999, -1);
                assertEquals(-1, borrowed.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 99_999), "it is the same memory");
                assertThrows(IllegalArgumentException.class,
                        () -> borrowed.memory().setAtIndex(ValueLayout.JAVA_FLOAT, 0, 1), "for reading only");
                assertEquals(1, sender.onLoan());
                assertEquals(0, returned.get());
            }
            awaitReturned(1);
            assertEquals(0, tensor.pins());
        }
        assertEquals(List.of(), List.copyOf(failures));
        for (RdmaDevice device : List.of(pair.sender, pair.receiver)) {
            TransferStatistics moved = device.transferStatistics().getFirst();
            assertEquals(1, moved.tensors());
            assertEquals(400_000, moved.byteSize());
            assertEquals(0, moved.fabricByteSize());
            assertEquals(0, moved.stagedByteSize());
        }
    }

    /** Three times around the words by which they are given back, in no order, by another thread. */
    @Test
    void theyAreGivenBackInWhateverOrder() throws InterruptedException {
        open(16);
        int count = 3 * LOANS_MAX + 5;
        Thread borrowing = Thread.ofPlatform().start(() -> {
            Random random = new Random(42);
            List<Tensor> held = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                Tensor borrowed = polled();
                if (first(borrowed) != i) {
                    failures.add(borrowed + " has " + first(borrowed) + " instead of " + i);
                }
                held.add(borrowed);
                if (held.size() == 200) {
                    Collections.shuffle(held, random);
                    held.subList(50, 200).forEach(Tensor::close);
                    held.subList(50, 200).clear();
                }
            }
            held.forEach(Tensor::close);
        });
        for (int i = 0; i < count; i++) {
            lent(10, i).close();
        }
        borrowing.join();
        awaitReturned(count);
        assertEquals(List.of(), List.copyOf(failures));
        awaitAllFree();
    }

    @Test
    void asManyAreOutAsThereAreWordsAndOneMoreIsBackPressure() {
        open(16);
        List<Tensor> held = new ArrayList<>();
        try (Tensor tensor = pair.floats(4, 1)) {
            for (int i = 0; i < LOANS_MAX; i++) {
                DevicePair.awaitTrue(pair.sender, () -> sender.lend(tensor, callback) == SendResult.SENT);
                held.add(polled());
            }
            assertTrue(sender.isReady(), "there is a slot for a record");
            assertEquals(SendResult.BACK_PRESSURED, sender.lend(tensor, callback));
            assertEquals(LOANS_MAX, sender.onLoan());
            held.removeFirst().close();
            DevicePair.awaitTrue(pair.sender, () -> sender.lend(tensor, callback) == SendResult.SENT);
            held.add(polled());
        }
        held.forEach(Tensor::close);
        awaitReturned(LOANS_MAX + 1);
        awaitAllFree();
    }

    @Test
    void whatIsOfferedOrEmptyIsReadAmongWhatIsLent() {
        open(4);
        lent(10, 1).close();
        try (Tensor tensor = pair.floats(10, 2);
                Tensor empty = pair.senderArena.allocate(ElementType.INT8, Shape.of(0))) {
            assertEquals(SendResult.SENT, sender.offer(tensor, null));
            assertEquals(SendResult.SENT, sender.lend(empty, null));
        }
        try (Tensor one = polled(); Tensor two = polled(); Tensor three = polled()) {
            assertTrue(DynamicTensorReceiver.isBorrowed(one));
            assertFalse(DynamicTensorReceiver.isBorrowed(two));
            assertFalse(DynamicTensorReceiver.isBorrowed(three));
            assertEquals(2, first(two));
            assertEquals(Shape.of(0), three.shape());
        }
        awaitReturned(1);
        awaitAllFree();
    }

    @Test
    void aLeaseBorrowsToo() {
        open(4);
        lent(10, 3).close();
        TensorLease lease = new TensorLease();
        assertTrue(receiver.poll(lease, TIMEOUT));
        assertEquals(3, lease.memory().get(ValueLayout.JAVA_FLOAT, 0));
        assertEquals(1, sender.onLoan());
        lease.close();
        awaitReturned(1);
        awaitAllFree();
    }

    @Test
    void aSenderThatClosesLeavesOnLoanWhatIs() {
        open(4);
        lent(1_000, 5).close();
        sender.close();
        assertEquals(0, returned.get());
        Tensor borrowed = polled();
        assertEquals(5, first(borrowed));
        assertThrows(IllegalStateException.class, pair.senderArena::close);
        borrowed.close();
        awaitReturned(1);
        awaitAllFree();
        assertThrows(TransferException.class, receiver::poll, "made for one sender");
    }

    @ParameterizedTest
    @EnumSource(ArrivalMode.class)
    void aReceiverThatClosesGivesBackWhatNobodyHasPolledAndNothingElse(ArrivalMode mode) {
        DevicePair other = new DevicePair(DevicePair.options(mode));
        DynamicTensorReceiver in = other.receiver.borrowingReceiver(EDGE, other.receiverArena, 2, "");
        DynamicTensorSender out = other.channel().lendingSender(EDGE, "", TIMEOUT);
        List<Tensor> tensors = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Tensor tensor = other.floats(10, i);
            tensors.add(tensor);
            DevicePair.awaitTrue(other.sender, () -> out.lend(tensor, callback) == SendResult.SENT);
        }
        Tensor borrowed = in.poll(TIMEOUT);
        in.close();
        DevicePair.awaitTrue(other.sender, () -> out.onLoan() == 1);
        assertEquals(3, returned.get());
        assertEquals(0, first(borrowed));
        assertEquals(1, tensors.getFirst().pins());
        borrowed.close();
        DevicePair.awaitTrue(other.sender, () -> returned.get() == 4);
        tensors.forEach(tensor -> assertEquals(0, tensor.pins()));
        tensors.forEach(Tensor::close);
        assertThrows(TransferException.class, () -> out.lend(tensors.getFirst(), null));
        out.close();
        other.close();
        other.closeArenas();
    }

    /** The borrower is told by its next poll, and has time to finish; the lender's memory is not used again before. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsOnLoanWhenTheConnectionFailsIsPinnedUntilItIsGivenBack(boolean isLender) {
        open(4);
        lent(1_000, 6).close();
        Tensor borrowed = polled();
        (isLender ? pair.sender : pair.receiver).abort("out of patience");
        DevicePair.awaitTrue(pair.sender, () -> returned.get() == 1);
        assertTrue(failures.peek().contains("out of patience"), failures::toString);
        assertThrows(TransferException.class, () -> {
            while (receiver.poll() == null) {
                pair.receiver.awaitActivity(pair.receiver.activity(), 1_000_000);
            }
        });
        sender.close();
        receiver.close();
        assertTrue(pair.senderArena.statistics().liveByteSize() > 0, "the borrower may still read it");
        assertEquals(6, first(borrowed));
        borrowed.close();
        awaitAllFree();
    }

    @Test
    void aLenderThatClosesItsDeviceLeavesItToTheBorrower() {
        open(4);
        lent(1_000, 8).close();
        Tensor borrowed = polled();
        sender.close();
        pair.sender.close();
        assertEquals(8, first(borrowed));
        borrowed.close();
        assertThrows(IllegalStateException.class, () -> first(borrowed));
    }

    @Test
    void whoDoesNotBorrowIsNotLentTo() {
        receiver = pair.receiver.dynamicReceiver(EDGE, pair.receiverArena, 4);
        String refusal = assertThrows(TransferException.class, () -> pair.channel().lendingSender(EDGE, "", TIMEOUT))
                .getMessage();
        assertTrue(refusal.contains("use channel.dynamicSender"), refusal);
        assertFalse(receiver.borrows());
    }

    @Test
    void whoDoesNotLendIsReadByABorrower() {
        receiver = pair.receiver.borrowingReceiver(EDGE, pair.receiverArena, 4, AGREEMENT);
        sender = pair.channel().dynamicSender(EDGE, AGREEMENT, TIMEOUT);
        assertFalse(sender.lends());
        assertFalse(receiver.borrows());
        lent(10, 9).close();
        try (Tensor read = polled()) {
            assertFalse(DynamicTensorReceiver.isBorrowed(read));
            assertEquals(9, first(read));
        }
        assertNull(receiver.poll());
        awaitReturned(1);
    }

    @Test
    void whatIsNotRegisteredIsNotLent() {
        open(4);
        try (Tensor unreadable = pair.receiverArena.allocate(ElementType.INT8, Shape.of(1))) {
            assertThrows(IllegalArgumentException.class, () -> sender.lend(unreadable, null));
        }
        Tensor closed = pair.floats(1, 1);
        closed.close();
        assertThrows(IllegalStateException.class, () -> sender.lend(closed, null));
        assertEquals(0, sender.onLoan());
        lent(1, 2).close();
        polled().close();
        awaitReturned(1);
    }
}
