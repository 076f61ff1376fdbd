package dev.verbena.testing;

import static dev.verbena.testing.FabricPair.assertFilled;
import static dev.verbena.testing.FabricPair.assertZero;
import static dev.verbena.transfer.spi.CompletionStatus.REMOTE_ACCESS_ERROR;
import static dev.verbena.transfer.spi.CompletionStatus.RETRY_EXCEEDED;
import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static dev.verbena.transfer.spi.CompletionStatus.WORK_REQUEST_FLUSHED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/** ERROR, flush, and the loss of the peer. */
interface FailureContract extends FabricFixture {
    @Test
    default void theFirstFailureFlushesWhatIsBehindItInOrder() {
        FabricPair pair = connect();
        pair.initiator.fill(0, 64, 1);
        WorkRequest good = pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, 0);
        WorkRequest bad = pair.initiator.request(2, Opcode.WRITE, 0, 8, pair.target, -64);
        bad.signaled = false;
        WorkRequest behind = pair.initiator.request(3, Opcode.WRITE, 0, 8, pair.target, 64);
        WorkRequest silent = pair.initiator.request(4, Opcode.WRITE, 0, 8, pair.target, 128);
        silent.signaled = false;
        good.next = bad;
        bad.next = behind;
        behind.next = silent;
        assertEquals(4, pair.initiator.queuePair().post(good));
        pair.next(pair.initiator, 1, SUCCESS);
        String cause = pair.next(pair.initiator, 2, REMOTE_ACCESS_ERROR).cause();
        assertTrue(pair.next(pair.initiator, 3, WORK_REQUEST_FLUSHED).cause().contains(cause));
        assertTrue(pair.next(pair.initiator, 4, WORK_REQUEST_FLUSHED).cause().contains(cause));
        assertFilled(pair.target, 0, 8, 1);
        assertZero(pair.target, 64, 8);
        assertZero(pair.target, 128, 8);
        // And so is what is posted later.
        assertEquals(QueuePair.State.ERROR, pair.initiator.queuePair().state());
        assertEquals(1, pair.initiator.queuePair().post(behind.next));
        pair.next(pair.initiator, 4, WORK_REQUEST_FLUSHED);
        assertTrue(pair.initiator.postReceive(41, 0, 64));
        pair.next(pair.initiator, 41, WORK_REQUEST_FLUSHED);
        pair.assertNothingMore();
    }

    @Test
    default void theOtherSideFailsWithTheCause() {
        FabricPair pair = connect();
        pair.target.postReceive(31, 0, 64);
        pair.target.postReceive(32, 0, 64);
        String cause = pair.run(pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, -64), REMOTE_ACCESS_ERROR)
                .cause();
        Done flushed = pair.next(pair.target, 31, WORK_REQUEST_FLUSHED);
        assertTrue(flushed.cause().contains(cause) && flushed.cause().contains("initiator"), flushed.cause());
        pair.next(pair.target, 32, WORK_REQUEST_FLUSHED);
        assertEquals(QueuePair.State.ERROR, pair.target.queuePair().state());
        assertNull(pair.target.connection.lostCause(), "a failed queue pair is not a lost connection");
        assertTrue(pair.target.lost.isEmpty());
    }

    @Test
    default void failFlushesBothSides() {
        FabricPair pair = connect();
        pair.initiator.postReceive(11, 0, 8);
        pair.target.postReceive(31, 0, 8);
        WorkRequest send = pair.initiator.send(1, 0, 8);
        send.next = pair.initiator.send(2, 0, 8);
        pair.initiator.queuePair().post(send);
        pair.next(pair.initiator, 1, SUCCESS);
        pair.next(pair.target, 31, SUCCESS);
        pair.target.postReceive(32, 0, 8);
        pair.next(pair.initiator, 2, SUCCESS);
        pair.next(pair.target, 32, SUCCESS);
        pair.initiator.queuePair().post(pair.initiator.send(3, 0, 8));
        pair.initiator.queuePair().fail("the user gave up");
        pair.initiator.queuePair().fail("a second time changes nothing");
        assertTrue(pair.next(pair.initiator, 3, WORK_REQUEST_FLUSHED).cause().contains("the user gave up"));
        assertTrue(pair.next(pair.initiator, 11, WORK_REQUEST_FLUSHED).cause().contains("the user gave up"));
        pair.target.postReceive(33, 0, 8);
        pair.target.queuePair().post(pair.target.send(4, 0, 8));
        assertTrue(pair.next(pair.target, 4, WORK_REQUEST_FLUSHED).cause().contains("the user gave up"));
        assertTrue(pair.next(pair.target, 33, WORK_REQUEST_FLUSHED).cause().contains("the user gave up"));
        pair.assertNothingMore();
    }

    @Test
    default void whatArrivedBeforeTheFailureIsStillDelivered() {
        FabricPair pair = connect();
        pair.target.postReceive(31, 0, 8);
        pair.target.postReceive(32, 0, 8);
        pair.initiator.fill(0, 8, 1);
        pair.run(pair.initiator.send(1, 0, 8), SUCCESS);
        pair.initiator.queuePair().fail("afterwards");
        pair.next(pair.target, 31, SUCCESS);
        assertFilled(pair.target, 0, 8, 1);
        pair.next(pair.target, 32, WORK_REQUEST_FLUSHED);
    }

    @Test
    default void oneQueuePairFailsAloneAndConnectionsAreIndependent() {
        FabricPair pair = connect(FabricPair.Options.DEFAULT.withQueuePairs(2));
        var second = pair.initiator.fabric.connect(pair.target.endpoint, pair.initiator.queuePairOptions(1),
                20_000_000_000L);
        pair.await("the second connection is accepted", () -> pair.target.accepted.size() == 2);
        pair.run(pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, -64), REMOTE_ACCESS_ERROR);
        WorkRequest write = pair.initiator.request(2, Opcode.WRITE, 0, 8, pair.target, 0);
        assertEquals(1, pair.initiator.connection.queuePairs().get(1).post(write));
        pair.next(pair.initiator, 2, SUCCESS);
        pair.initiator.connection.close();
        pair.await("the loss is noticed", () -> !pair.target.lost.isEmpty());
        write.workRequestId = 3;
        assertEquals(1, second.queuePairs().getFirst().post(write));
        pair.next(pair.initiator, 3, SUCCESS);
        assertNull(second.lostCause());
        assertNull(pair.target.accepted.get(1).lostCause());
        assertEquals(1, pair.target.lost.size());
    }

    @Test
    default void anOrderlyCloseIsNoticedAsSuch() {
        FabricPair pair = connect();
        pair.target.postReceive(31, 0, 8);
        pair.initiator.connection.close();
        pair.initiator.connection.close();
        pair.await("the loss is noticed", () -> !pair.target.lost.isEmpty());
        FabricSide.Lost lost = pair.target.lost.getFirst();
        assertSame(pair.target.connection, lost.connection());
        assertTrue(lost.orderly());
        assertTrue(lost.cause().contains("initiator"), lost.cause());
        assertEquals(lost.cause(), pair.target.connection.lostCause());
        assertEquals(QueuePair.State.ERROR, pair.target.queuePair().state());
        pair.next(pair.target, 31, WORK_REQUEST_FLUSHED);
        pair.settle();
        assertEquals(1, pair.target.lost.size());
        assertTrue(pair.initiator.lost.isEmpty(), "who closes does not lose");
    }

    @Test
    default void anAbortTellsThePeerWhy() {
        FabricPair pair = connect();
        pair.target.postReceive(31, 0, 8);
        pair.initiator.connection.abort("out of coffee: cups=0");
        pair.await("the loss is noticed", () -> !pair.target.lost.isEmpty());
        FabricSide.Lost lost = pair.target.lost.getFirst();
        assertFalse(lost.orderly());
        assertTrue(lost.cause().contains("initiator") && lost.cause().contains("out of coffee: cups=0"), lost.cause());
        assertTrue(pair.next(pair.target, 31, WORK_REQUEST_FLUSHED).cause().contains("out of coffee"));
        assertEquals(QueuePair.State.CLOSED, pair.initiator.queuePair().state());
    }

    @Test
    default void aLongAbortTextIsCut() {
        FabricPair pair = connect();
        pair.initiator.connection.abort("long ä".repeat(50_000));
        pair.await("the loss is noticed", () -> !pair.target.lost.isEmpty());
        String cause = pair.target.lost.getFirst().cause();
        assertTrue(cause.contains("long ä") && cause.length() < 65_536, "length=" + cause.length());
    }

    @Test
    default void outstandingWorkOfALostPeerIsRetryExceededThenFlushed() {
        FabricPair pair = connect();
        WorkRequest send = pair.initiator.send(1, 0, 8);
        send.next = pair.initiator.send(2, 0, 8);
        assertEquals(2, pair.initiator.queuePair().post(send));
        pair.target.fabric.close();
        FabricPair.await("the loss is noticed",
                () -> !pair.initiator.lost.isEmpty() && pair.initiator.completions.size() == 2,
                () -> pair.initiator.poll(64));
        Done first = pair.initiator.completions.remove();
        assertEquals(RETRY_EXCEEDED, first.status(), first.toString());
        assertTrue(first.cause().contains("target"), first.cause());
        assertEquals(WORK_REQUEST_FLUSHED, pair.initiator.completions.remove().status());
        assertNotNull(pair.initiator.connection.lostCause());
        assertEquals(1, pair.initiator.lost.size());
    }

    @Test
    default void aClosedQueuePairThrows() {
        FabricPair pair = connect();
        QueuePair queuePair = pair.initiator.queuePair();
        pair.initiator.connection.close();
        assertEquals(QueuePair.State.CLOSED, queuePair.state());
        assertThrows(IllegalStateException.class, () -> queuePair.post(pair.initiator.send(1, 0, 8)));
        assertThrows(IllegalStateException.class, () -> queuePair.postReceive(1, null, 0, 0));
        assertThrows(IllegalStateException.class, () -> queuePair.fail("x"));
        assertEquals(0, pair.initiator.poll(8));
    }

    @Test
    default void sidesMayCloseInAnyOrder() {
        for (int order = 0; order < 6; order++) {
            FabricPair pair = connect();
            pair.target.postReceive(31, 0, 8);
            pair.initiator.queuePair().post(pair.initiator.send(1, 0, 8));
            switch (order) {
                case 0 -> pair.initiator.region.close();
                case 1 -> pair.target.connection.close();
                case 2 -> pair.target.fabric.close();
                case 3 -> pair.initiator.connection.abort("first");
                case 4 -> pair.target.region.close();
                default -> pair.initiator.fabric.close();
            }
            pair.target.fabric.close();
            pair.target.connection.close();
            pair.target.queue.close();
            pair.target.region.close();
            pair.initiator.connection.close();
            pair.initiator.region.close();
            pair.initiator.queue.close();
            pair.initiator.fabric.close();
            assertEquals(QueuePair.State.CLOSED, pair.initiator.queuePair().state());
            assertEquals(QueuePair.State.CLOSED, pair.target.queuePair().state());
        }
    }
}
