package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What reports, and how much of it there is room for. */
class CompletionQueueOnDevice {
    private final LoopbackPair pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED);

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void itHasAtLeastTheRoomAskedFor() {
        try (CompletionQueue queue = pair.context.createCompletionQueue(100)) {
            assertTrue(queue.capacity() >= 100, "capacity=" + queue.capacity());
        }
        VerbsException refused = assertThrows(VerbsException.class,
                () -> pair.context.createCompletionQueue(Integer.MAX_VALUE));
        assertTrue(refused.getMessage().contains("completions=2147483647"), refused.getMessage());
        assertThrows(VerbsException.class, () -> pair.context.createCompletionQueue(0));
    }

    @Test
    @Needs(Need.COMPLETION_QUEUE_RESIZING)
    void resizingKeepsWhatIsInIt() {
        post(0, 4);
        pair.initiator.queue.resize(1000);
        assertTrue(pair.initiator.queue.capacity() >= 1000, "capacity=" + pair.initiator.queue.capacity());
        post(4, 8);
        for (int i = 0; i < 8; i++) {
            pair.initiator.expect(i, SUCCESS);
        }
        pair.initiator.queue.resize(8);
        post(8, 10);
        pair.initiator.expect(8, SUCCESS);
        pair.initiator.expect(9, SUCCESS);
    }

    @Test
    @Needs(Need.COMPLETION_QUEUE_RESIZING)
    void aSizeThatTheDeviceDoesNotHaveIsRefusedAndChangesNothing() {
        int capacity = pair.initiator.queue.capacity();
        assertThrows(VerbsException.class, () -> pair.initiator.queue.resize(Integer.MAX_VALUE));
        assertEquals(capacity, pair.initiator.queue.capacity());
        post(0, 1);
        pair.initiator.expect(0, SUCCESS);
    }

    @Test
    void aPollTakesNoMoreThanItIsAskedFor() {
        post(0, 6);
        assertEquals(0, pair.initiator.queue.poll(pair.initiator.completions, 0));
        int taken = 0;
        while (taken < 6) {
            int count = pair.initiator.queue.poll(pair.initiator.completions, 4);
            assertTrue(count <= 4, "count=" + count);
            for (int i = 0; i < count; i++) {
                assertEquals(taken++, pair.initiator.completions.workRequestId(i));
            }
        }
        assertEquals(0, pair.initiator.queue.poll(pair.initiator.completions));
    }

    @Test
    void aQueuePairThatSignalsAllReportsEachRequest() {
        try (LoopbackPair all = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED,
                EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE), options -> options.withSignalsAll(true))) {
            for (int i = 0; i < 4; i++) {
                all.initiator.sends.get(i).write(i, all.target.region.remoteAddress(), all.target.region.rkey())
                        .element(all.initiator.region, 0, 8);
            }
            assertEquals(4, all.initiator.queuePair.post(all.initiator.sends, 0, 4));
            for (int i = 0; i < 4; i++) {
                all.initiator.expect(i, SUCCESS);
            }
        }
    }

    @Test
    void aFencedSendWaitsForTheReadBeforeIt() {
        Bytes.put(pair.target, 1024, 77);
        pair.target.receive(31, 0, 8);
        pair.initiator.sends.get(0).read(1, pair.target.region.remoteAddress() + 1024, pair.target.region.rkey())
                .element(pair.initiator.region, 0, 8);
        pair.initiator.sends.get(1).send(2).element(pair.initiator.region, 0, 8).fenced().signaled();
        assertEquals(2, pair.initiator.queuePair.post(pair.initiator.sends, 0, 2));
        pair.initiator.expect(2, SUCCESS);
        pair.target.expect(31, SUCCESS);
        assertEquals(77, Bytes.get(pair.target, 0), "what was read, not what was there before");
    }

    @Test
    @Needs(Need.POSTING_IN_ERROR)
    void sendsAndReceivesMayReportToDifferentQueues() {
        try (CompletionQueue receiveQueue = pair.context.createCompletionQueue(16);
                QueuePair both = pair.domain.createQueuePair(
                        QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, pair.initiator.queue)
                                .withCompletionQueues(pair.initiator.queue, receiveQueue))) {
            pair.toInit(both);
            pair.initiator.receives.get(0).receive(5);
            both.post(pair.initiator.receives, 0, 1);
            both.modify(QueuePairAttributes.to(QueuePairState.ERROR));
            both.post(pair.initiator.sends, 0, 1);
            pair.initiator.expect(0, WorkCompletionStatus.WORK_REQUEST_FLUSHED);
            assertEquals(1, receiveQueue.poll(pair.initiator.completions));
            assertEquals(5, pair.initiator.completions.workRequestId(0));
        }
    }

    private void post(int first, int end) {
        for (int i = first; i < end; i++) {
            pair.initiator.sends.get(i).write(i, pair.target.region.remoteAddress() + 8, pair.target.region.rkey())
                    .element(pair.initiator.region, i * 8L, 8).signaled();
            Bytes.put(pair.initiator, i * 8L, i + 1);
        }
        assertEquals(end - first, pair.initiator.queuePair.post(pair.initiator.sends, first, end - first));
    }
}
