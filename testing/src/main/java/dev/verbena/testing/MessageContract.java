package dev.verbena.testing;

import static dev.verbena.testing.FabricPair.assertFilled;
import static dev.verbena.testing.FabricPair.assertZero;
import static dev.verbena.transfer.spi.CompletionStatus.LOCAL_LENGTH_ERROR;
import static dev.verbena.transfer.spi.CompletionStatus.LOCAL_PROTECTION_ERROR;
import static dev.verbena.transfer.spi.CompletionStatus.RECEIVER_NOT_READY;
import static dev.verbena.transfer.spi.CompletionStatus.REMOTE_INVALID_REQUEST;
import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static dev.verbena.transfer.spi.CompletionStatus.WORK_REQUEST_FLUSHED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/** Send and receive. */
interface MessageContract extends FabricFixture {
    @Test
    default void aSendLandsInThePostedReceive() {
        FabricPair pair = connect();
        assertTrue(pair.target.postReceive(31, 1000, 500));
        pair.initiator.fill(5, 321, 1);
        Done sent = pair.run(pair.initiator.send(1, 5, 321), SUCCESS);
        assertEquals(Opcode.SEND, sent.opcode());
        Done received = pair.next(pair.target, 31, SUCCESS);
        assertEquals(Opcode.RECEIVE, received.opcode());
        assertEquals(321, received.byteSize());
        assertFalse(received.hasImmediate());
        assertFilled(pair.target, 1000, 321, 1);
        assertZero(pair.target, 1321, 500);
        pair.assertNothingMore();
    }

    @Test
    default void aSendGathers() {
        FabricPair pair = connect();
        pair.target.postReceive(31, 1000, 100);
        pair.initiator.fill(0, 60, 2);
        WorkRequest send = pair.initiator.send(1, 0, 9).element(pair.initiator.region, 9, 50)
                .element(pair.initiator.region, 59, 1);
        pair.run(send, SUCCESS);
        assertEquals(60, pair.next(pair.target, 31, SUCCESS).byteSize());
        assertFilled(pair.target, 1000, 60, 2);
    }

    @Test
    default void emptyAndExactSendsFit() {
        FabricPair pair = connect();
        pair.target.queuePair().postReceive(31, null, 0, 0);
        pair.target.postReceive(32, 0, 64);
        pair.initiator.fill(0, 64, 3);
        pair.run(pair.initiator.request(1, Opcode.SEND), SUCCESS);
        assertEquals(0, pair.next(pair.target, 31, SUCCESS).byteSize());
        pair.run(pair.initiator.send(2, 0, 64), SUCCESS);
        assertEquals(64, pair.next(pair.target, 32, SUCCESS).byteSize());
        assertFilled(pair.target, 0, 64, 3);
    }

    @Test
    default void messagesTakeReceivesInOrderManyTimesRound() {
        FabricPair pair = connect();
        int depth = FabricPair.Options.DEFAULT.depth();
        long posted = 0;
        for (; posted < depth; posted++) {
            assertTrue(pair.target.postReceive(posted, posted % depth * 64, 64));
        }
        for (int i = 0; i < 10 * depth; i++) {
            pair.initiator.fill(0, 40, i);
            pair.run(pair.initiator.send(i, 0, 40), SUCCESS);
            pair.next(pair.target, i, SUCCESS);
            assertFilled(pair.target, i % depth * 64, 40, i);
            assertTrue(pair.target.postReceive(posted, posted % depth * 64, 64));
            posted++;
        }
    }

    @Test
    default void theReceiveQueueHasItsDepth() {
        FabricPair pair = connect();
        int depth = FabricPair.Options.DEFAULT.depth();
        for (int i = 0; i < depth; i++) {
            assertTrue(pair.target.postReceive(i, 0, 64));
        }
        assertFalse(pair.target.postReceive(99, 0, 64));
        pair.run(pair.initiator.send(1, 0, 8), SUCCESS);
        pair.next(pair.target, 0, SUCCESS);
        assertTrue(pair.target.postReceive(depth, 0, 64));
        assertFalse(pair.target.postReceive(99, 0, 64));
    }

    @Test
    default void withoutAReceiveASendAndAllBehindItWait() {
        FabricPair pair = connect();
        pair.initiator.fill(0, 16, 4);
        WorkRequest send = pair.initiator.send(1, 0, 16);
        WorkRequest write = pair.initiator.request(2, Opcode.WRITE, 0, 16, pair.target, 512);
        send.next = write;
        assertEquals(2, pair.initiator.queuePair().post(send));
        pair.assertNothingMore();
        assertZero(pair.target, 512, 16);
        pair.target.postReceive(31, 0, 16);
        pair.next(pair.initiator, 1, SUCCESS);
        pair.next(pair.initiator, 2, SUCCESS);
        pair.next(pair.target, 31, SUCCESS);
        assertFilled(pair.target, 0, 16, 4);
        assertFilled(pair.target, 512, 16, 4);
    }

    @Test
    default void aReceiveThatNeverComesIsReceiverNotReady() {
        for (Opcode opcode : new Opcode[]{Opcode.SEND, Opcode.WRITE_WITH_IMMEDIATE}) {
            FabricPair pair = connect(FabricPair.Options.DEFAULT.withReceiverNotReadyTimeoutNs(1_000_000));
            WorkRequest first = pair.initiator.request(1, opcode, 0, 16, pair.target, 0);
            first.next = pair.initiator.send(2, 0, 16);
            assertEquals(2, pair.initiator.queuePair().post(first));
            Done done = pair.next(pair.initiator, 1, RECEIVER_NOT_READY);
            assertTrue(done.cause().contains("target"), done.cause());
            pair.next(pair.initiator, 2, WORK_REQUEST_FLUSHED);
            assertEquals(QueuePair.State.ERROR, pair.initiator.queuePair().state());
            assertZero(pair.target, 0, 16);
        }
    }

    @Test
    default void aReceiveThatIsTooSmallFailsBothSides() {
        FabricPair pair = connect();
        pair.target.postReceive(31, 0, 15);
        pair.target.postReceive(32, 100, 64);
        WorkRequest send = pair.initiator.send(1, 0, 16);
        send.next = pair.initiator.send(2, 0, 8);
        assertEquals(2, pair.initiator.queuePair().post(send));
        Done sent = pair.next(pair.initiator, 1, REMOTE_INVALID_REQUEST);
        assertTrue(sent.cause().contains("16") && sent.cause().contains("15"), sent.cause());
        pair.next(pair.initiator, 2, WORK_REQUEST_FLUSHED);
        Done received = pair.next(pair.target, 31, LOCAL_LENGTH_ERROR);
        assertTrue(received.cause().contains("16") && received.cause().contains("15"), received.cause());
        pair.next(pair.target, 32, WORK_REQUEST_FLUSHED);
        assertEquals(QueuePair.State.ERROR, pair.initiator.queuePair().state());
        assertEquals(QueuePair.State.ERROR, pair.target.queuePair().state());
        pair.assertNothingMore();
    }

    @Test
    default void aReceiveWithoutMemoryTakesNoData() {
        FabricPair pair = connect();
        pair.target.queuePair().postReceive(31, null, 0, 0);
        pair.run(pair.initiator.send(1, 0, 1), REMOTE_INVALID_REQUEST);
        pair.next(pair.target, 31, LOCAL_LENGTH_ERROR);
    }

    @Test
    default void aReceiveOutsideItsRegionIsAProtectionErrorWhenItIsUsed() {
        FabricPair pair = connect();
        assertTrue(pair.target.postReceive(31, FabricSide.REGION_BYTE_SIZE - 8, 16));
        pair.run(pair.initiator.send(1, 0, 8), REMOTE_INVALID_REQUEST);
        pair.next(pair.target, 31, LOCAL_PROTECTION_ERROR);
        assertZero(pair.target, FabricSide.REGION_BYTE_SIZE - 8, 8);
    }

    @Test
    default void aReceiveInMemoryThatMayNotBeWrittenIsAProtectionError() {
        FabricPair pair = connect();
        MemoryRegion readOnly = pair.target.fabric.register(4096, EnumSet.of(AccessRight.REMOTE_READ));
        assertTrue(pair.target.queuePair().postReceive(31, readOnly, 0, 64));
        pair.run(pair.initiator.send(1, 0, 8), REMOTE_INVALID_REQUEST);
        pair.next(pair.target, 31, LOCAL_PROTECTION_ERROR);
        assertEquals(0, readOnly.memory().get(java.lang.foreign.ValueLayout.JAVA_LONG, 0));
    }

    @Test
    default void receivesNeedNoRemoteRights() {
        FabricPair pair = connect();
        MemoryRegion local = pair.target.fabric.register(4096, EnumSet.of(AccessRight.LOCAL_WRITE));
        assertTrue(pair.target.queuePair().postReceive(31, local, 8, 64));
        pair.initiator.fill(0, 64, 9);
        pair.run(pair.initiator.send(1, 0, 64), SUCCESS);
        pair.next(pair.target, 31, SUCCESS);
        assertEquals(-1, local.memory().asSlice(8, 64).mismatch(pair.initiator.region.memory().asSlice(0, 64)));
    }

    @Test
    default void wrongReceivesThrow() {
        FabricPair pair = connect();
        QueuePair queuePair = pair.target.queuePair();
        assertThrows(IllegalArgumentException.class, () -> queuePair.postReceive(1, null, 0, 8));
        assertThrows(IllegalArgumentException.class, () -> queuePair.postReceive(1, pair.target.region, 0, -1));
        assertThrows(IllegalArgumentException.class, () -> queuePair.postReceive(1, pair.initiator.region, 0, 8));
    }
}
