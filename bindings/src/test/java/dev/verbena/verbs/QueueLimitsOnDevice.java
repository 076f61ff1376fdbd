package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR;
import static dev.verbena.verbs.WorkCompletionStatus.LOCAL_LENGTH_ERROR;
import static dev.verbena.verbs.WorkCompletionStatus.RECEIVER_NOT_READY_RETRY_EXCEEDED;
import static dev.verbena.verbs.WorkCompletionStatus.REMOTE_INVALID_REQUEST;
import static dev.verbena.verbs.WorkCompletionStatus.REMOTE_OPERATION_ERROR;
import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Queues that are full or empty, and receives that are too small. */
class QueueLimitsOnDevice {
    private static final int FOR_EVER = 7;

    private final LoopbackPair pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED);

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void aFullReceiveQueueTakesWhatFits() {
        QueuePair target = pair.target.queuePair;
        ReceiveRequests receives = receives(4 * target.receiveDepth());
        int posted = target.post(receives, 0, receives.capacity());
        assertTrue(posted >= target.receiveDepth() && posted < receives.capacity(), "posted=" + posted);
        assertEquals(0, target.post(receives, posted, 1), "it is full");
        for (int i = 0; i < posted; i++) {
            send(i, i);
            pair.target.expect(i, SUCCESS);
        }
        assertEquals(1, target.post(receives, posted, 1), "there is room again");
        send(posted, posted);
        pair.target.expect(posted, SUCCESS);
    }

    @Test
    @Needs({Need.RECEIVER_NOT_READY, Need.IMMEDIATES})
    void aFullSendQueueTakesWhatFitsAndLosesNothing() {
        pair.reconnect(FOR_EVER);
        SendRequests sends = new SendRequests(4 * pair.initiator.queuePair.sendDepth(), 1);
        for (int i = 0; i < sends.capacity(); i++) {
            sends.get(i).sendWithImmediate(i, i).signaled();
        }
        int posted = pair.initiator.queuePair.post(sends, 0, sends.capacity());
        assertTrue(posted >= pair.initiator.queuePair.sendDepth() && posted < sends.capacity(), "posted=" + posted);
        assertEquals(0, pair.initiator.queuePair.post(sends, posted, 1), "it is full");
        for (int i = 0; i < sends.capacity(); i++) {
            pair.target.receive(i, 0, 0);
            pair.initiator.expect(i, SUCCESS);
            pair.target.expect(i, SUCCESS);
            assertEquals(i, pair.target.completions.immediate(0));
            if (posted < sends.capacity()) {
                assertEquals(1, pair.initiator.queuePair.post(sends, posted, 1), "one has left, one may enter");
                posted++;
            }
        }
    }

    @Test
    @Needs(Need.RECEIVER_NOT_READY)
    void aSendWithoutAReceiveEndsAfterTheRetriesAllowed() {
        for (int retries = 0; retries < 2; retries++) {
            try (LoopbackPair fresh = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED)) {
                fresh.reconnect(retries);
                assertEquals(retries, fresh.initiator.queuePair.query().receiverNotReadyRetry());
                fresh.request().send(1).element(fresh.initiator.region, 0, 8).signaled();
                fresh.post();
                fresh.initiator.expect(1, RECEIVER_NOT_READY_RETRY_EXCEEDED);
                assertEquals(QueuePairState.ERROR, fresh.initiator.queuePair.state());
                assertEquals(QueuePairState.READY_TO_SEND, fresh.target.queuePair.state());
            }
        }
    }

    @Test
    @Needs({Need.RECEIVER_NOT_READY, Need.IMMEDIATES})
    void aWriteWithImmediateWithoutAReceiveToo() {
        pair.request().writeWithImmediate(1, pair.target.region.remoteAddress(), pair.target.region.rkey(), 1)
                .element(pair.initiator.region, 0, 8).signaled();
        pair.post();
        pair.initiator.expect(1, RECEIVER_NOT_READY_RETRY_EXCEEDED);
    }

    @Test
    @Needs(Need.RECEIVER_NOT_READY)
    void aReceiveThatComesWhileTheSenderRetriesIsTaken() {
        pair.reconnect(FOR_EVER);
        pair.request().send(1).element(pair.initiator.region, 0, 8).signaled();
        pair.post();
        pair.target.receive(31, 0, 8);
        pair.initiator.expect(1, SUCCESS);
        pair.target.expect(31, SUCCESS);
    }

    /**
     * Linux 6.1's soft-RoCE calls it an operation error on both sides; others say LOCAL_LENGTH_ERROR and, where the sender
     * hears of it, REMOTE_INVALID_REQUEST.
     */
    @Test
    void aReceiveThatIsTooSmall() {
        pair.target.receive(31, 0, 15);
        pair.request().send(1).element(pair.initiator.region, 0, 16).signaled();
        pair.post();
        boolean isSoftRoce = TestDevice.driver() == Driver.SOFT_ROCE;
        pair.target.expect(31, isSoftRoce ? LOCAL_QUEUE_PAIR_OPERATION_ERROR : LOCAL_LENGTH_ERROR);
        pair.initiator.expect(1, !TestDevice.has(Need.ACKNOWLEDGEMENTS) ? SUCCESS
                : isSoftRoce ? REMOTE_OPERATION_ERROR : REMOTE_INVALID_REQUEST);
        pair.expectState(pair.target.queuePair, QueuePairState.ERROR);
        pair.expectState(pair.initiator.queuePair, QueuePairState.ERROR);
    }

    @Test
    void moreElementsThanTheQueuePairTakes() {
        SendRequests sends = new SendRequests(1, 64);
        sends.get(0).send(1);
        for (int i = 0; i < 64; i++) {
            sends.get(0).element(pair.initiator.region, i, 1);
        }
        assertEquals(22, assertThrows(VerbsException.class, () -> pair.initiator.queuePair.post(sends, 0, 1)).errno());
        ReceiveRequests receives = new ReceiveRequests(1, 64);
        ReceiveRequest receive = receives.get(0).receive(1);
        for (int i = 0; i < 64; i++) {
            receive.element(pair.target.region, i, 1);
        }
        assertEquals(22, assertThrows(VerbsException.class, () -> pair.target.queuePair.post(receives, 0, 1)).errno());
    }

    @Test
    void moreInlineBytesThanTheQueuePairTakes() {
        SendRequests sends = new SendRequests(1, 1, 4096);
        sends.get(0).send(1).inline(pair.initiator.region.memory().asSlice(0, 4096));
        assertEquals(22, assertThrows(VerbsException.class, () -> pair.initiator.queuePair.post(sends, 0, 1)).errno());
    }

    private ReceiveRequests receives(int count) {
        ReceiveRequests receives = new ReceiveRequests(count, 1);
        for (int i = 0; i < count; i++) {
            receives.get(i).receive(i).element(pair.target.region, 0, 8);
        }
        return receives;
    }

    private void send(long id, long value) {
        Bytes.put(pair.initiator, 0, value);
        pair.request().send(id).element(pair.initiator.region, 0, 8).signaled();
        pair.post();
        pair.initiator.expect(id, SUCCESS);
        TestDevice.expectArrived(value, () -> Bytes.get(pair.target, 0));
    }
}
