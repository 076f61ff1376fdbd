package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.REMOTE_ACCESS_ERROR;
import static dev.verbena.verbs.WorkCompletionStatus.RETRY_EXCEEDED;
import static dev.verbena.verbs.WorkCompletionStatus.WORK_REQUEST_FLUSHED;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of requests that are posted when a queue pair fails, and of those that come after. */
class FlushOnDevice {
    private final LoopbackPair pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED);

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    @Needs(Need.ACKNOWLEDGEMENTS)
    void sendsBehindTheFailedOneAreFlushedInOrderSignaledOrNot() {
        for (int i = 0; i < 8; i++) {
            int rkey = pair.target.region.rkey() ^ (i == 2 ? 0x100 : 0);
            pair.initiator.sends.get(i).write(i, pair.target.region.remoteAddress() + i * 8L, rkey)
                    .element(pair.initiator.region, i * 8L, 8);
            Bytes.put(pair.initiator, i * 8L, i + 1);
        }
        assertEquals(8, pair.initiator.queuePair.post(pair.initiator.sends, 0, 8));
        pair.initiator.expect(2, REMOTE_ACCESS_ERROR);
        for (int i = 3; i < 8; i++) {
            pair.initiator.expect(i, WORK_REQUEST_FLUSHED);
            assertEquals(0, Bytes.get(pair.target, i * 8L));
        }
        assertEquals(1, Bytes.get(pair.target, 0));
        assertEquals(2, Bytes.get(pair.target, 8));
        assertEquals(0, pair.initiator.queue.poll(pair.initiator.completions));
    }

    @Test
    void receivesAreFlushedInOrder() {
        for (int i = 0; i < 6; i++) {
            pair.target.receives.get(i).receive(100 + i).element(pair.target.region, 0, 8);
        }
        assertEquals(6, pair.target.queuePair.post(pair.target.receives, 0, 6));
        pair.target.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        for (int i = 0; i < 6; i++) {
            pair.target.expect(100 + i, WORK_REQUEST_FLUSHED);
        }
    }

    @Test
    @Needs(Need.POSTING_IN_ERROR)
    void whatIsPostedInStateErrorIsFlushed() {
        pair.initiator.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        pair.request().send(1).element(pair.initiator.region, 0, 8);
        pair.post();
        pair.initiator.expect(1, WORK_REQUEST_FLUSHED);
        pair.initiator.receive(2, 0, 8);
        // Soft-RoCE looks at the receives of a failed queue pair only when it fails again.
        pair.initiator.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        pair.initiator.expect(2, WORK_REQUEST_FLUSHED);
    }

    @Test
    @Needs({Need.CONNECTING_BY_HAND, Need.ACKNOWLEDGEMENTS})
    void aQueuePairComesBackByWayOfReset() {
        sendsBehindTheFailedOneAreFlushedInOrderSignaledOrNot();
        for (LoopbackPair.Side side : new LoopbackPair.Side[]{pair.initiator, pair.target}) {
            side.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
            assertEquals(QueuePairState.RESET, side.queuePair.state());
        }
        pair.connect(pair.initiator.queuePair, pair.target.queuePair);
        pair.request().write(9, pair.target.region.remoteAddress() + 64, pair.target.region.rkey())
                .element(pair.initiator.region, 0, 8).signaled();
        pair.post();
        pair.initiator.expect(9, WorkCompletionStatus.SUCCESS);
        assertEquals(1, Bytes.get(pair.target, 64));
    }

    @Test
    @Needs({Need.CONNECTING_BY_HAND, Need.ACKNOWLEDGEMENTS})
    void aPeerThatDoesNotExist() {
        try (QueuePair lost = pair.domain.createQueuePair(
                QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, pair.initiator.queue))) {
            pair.toInit(lost);
            pair.toReadyToReceive(lost, 0xabcdef);
            LoopbackPair.toReadyToSend(lost);
            SendRequests sends = new SendRequests(2, 1);
            sends.get(0).write(1, pair.target.region.remoteAddress(), pair.target.region.rkey())
                    .element(pair.initiator.region, 0, 8);
            sends.get(1).send(2);
            assertEquals(2, lost.post(sends, 0, 2));
            pair.initiator.expect(1, RETRY_EXCEEDED);
            pair.initiator.expect(2, WORK_REQUEST_FLUSHED);
            assertEquals(QueuePairState.ERROR, lost.state());
        }
    }

    @Test
    @Needs({Need.CONNECTING_BY_HAND, Need.ACKNOWLEDGEMENTS})
    void aPeerThatIsNotReadyToReceive() {
        pair.target.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        pair.toInit(pair.target.queuePair);
        pair.request().send(1).element(pair.initiator.region, 0, 8).signaled();
        pair.post();
        pair.initiator.expect(1, RETRY_EXCEEDED);
    }

    @Test
    @Needs(Need.ACKNOWLEDGEMENTS)
    void aPeerThatFailed() {
        pair.target.queuePair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        pair.request().write(1, pair.target.region.remoteAddress(), pair.target.region.rkey())
                .element(pair.initiator.region, 0, 8).signaled();
        pair.post();
        pair.initiator.expect(1, RETRY_EXCEEDED);
    }
}
