package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** In which states what may be posted; and that a refused post leaves nothing behind. */
class PostStatesOnDevice {
    private static final int EINVAL = 22;

    private final LoopbackPair pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED);
    private final QueuePair queuePair = pair.domain.createQueuePair(
            QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, pair.initiator.queue));

    @AfterEach
    void close() {
        queuePair.close();
        pair.close();
    }

    @Test
    @Needs(Need.CONNECTING_BY_HAND)
    void sendsAreRefusedBeforeReadyToSend() {
        refuseSend();
        pair.toInit(queuePair);
        refuseSend();
        pair.toReadyToReceive(queuePair, pair.target.queuePair.number());
        refuseSend();
        LoopbackPair.toReadyToSend(queuePair);
        assertEquals(1, queuePair.post(pair.initiator.sends, 0, 1));
    }

    @Test
    void receivesAreRefusedInResetOnly() {
        ReceiveRequests receives = pair.initiator.receives;
        receives.get(0).receive(5).element(pair.initiator.region, 0, 8);
        VerbsException refused = assertThrows(VerbsException.class, () -> queuePair.post(receives, 0, 1));
        assertEquals(EINVAL, refused.errno());
        assertTrue(refused.getMessage().contains("bring the queue pair to state INIT first"), refused.getMessage());
        pair.toInit(queuePair);
        assertEquals(1, queuePair.post(receives, 0, 1));
    }

    /** Soft-RoCE's library would have queued it, to be executed as soon as the state allows. */
    @Test
    @Needs(Need.CONNECTING_BY_HAND)
    void aRefusedSendIsNotExecutedLater() {
        QueuePair target = pair.target.queuePair;
        refuseSend();
        for (QueuePair each : new QueuePair[]{queuePair, target}) {
            each.modify(QueuePairAttributes.to(QueuePairState.RESET));
            pair.toInit(each);
            pair.toReadyToReceive(each, each == target ? queuePair.number() : target.number());
            LoopbackPair.toReadyToSend(each);
        }
        pair.request().write(8, pair.target.region.remoteAddress(), pair.target.region.rkey())
                .element(pair.initiator.region, 0, 8).signaled();
        assertEquals(1, queuePair.post(pair.initiator.sends, 0, 1));
        pair.initiator.expect(8, SUCCESS);
        assertEquals(0, pair.initiator.queue.poll(pair.initiator.completions));
    }

    @Test
    void aListIsWholeAgainAfterItWasRefused() {
        for (int i = 0; i < 4; i++) {
            pair.initiator.sends.get(i).write(i, pair.target.region.remoteAddress(), pair.target.region.rkey())
                    .element(pair.initiator.region, 0, 8).signaled();
        }
        QueuePair closed = pair.domain.createQueuePair(
                QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, pair.initiator.queue));
        assertThrows(VerbsException.class, () -> closed.post(pair.initiator.sends, 0, 2));
        closed.close();
        assertThrows(IllegalStateException.class, () -> closed.post(pair.initiator.sends, 0, 2));
        assertEquals(4, pair.initiator.queuePair.post(pair.initiator.sends, 0, 4));
        for (int i = 0; i < 4; i++) {
            pair.initiator.expect(i, SUCCESS);
        }
    }

    @Test
    void indexesBeyondTheListAreRefusedAndHarmless() {
        assertThrows(IndexOutOfBoundsException.class, () -> queuePair.post(pair.initiator.sends, 15, 2));
        assertThrows(IndexOutOfBoundsException.class, () -> queuePair.post(pair.initiator.sends, -1, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> queuePair.post(pair.initiator.receives, 0, -1));
        assertThrows(IllegalArgumentException.class,
                () -> pair.initiator.queue.poll(pair.initiator.completions, 65));
        assertThrows(IllegalArgumentException.class,
                () -> pair.initiator.queue.poll(pair.initiator.completions, -1));
        queuePair.close();
    }

    private void refuseSend() {
        pair.request().write(7, pair.target.region.remoteAddress(), pair.target.region.rkey())
                .element(pair.initiator.region, 0, 8).signaled();
        VerbsException refused = assertThrows(VerbsException.class,
                () -> queuePair.post(pair.initiator.sends, 0, 1));
        assertEquals(EINVAL, refused.errno());
        assertTrue(refused.getMessage().contains("posted=0"), refused.getMessage());
        assertTrue(refused.getMessage().contains("bring the queue pair to state READY_TO_SEND first"),
                refused.getMessage());
    }
}
