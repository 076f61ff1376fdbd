package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.RECEIVER_NOT_READY_RETRY_EXCEEDED;
import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two senders whose receives come from one queue. */
@Needs(Need.SHARED_RECEIVE_QUEUES)
class SharedReceiveQueueOnDevice {
    private static final int DEPTH = 8;

    private final LoopbackPair pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED);
    private final SharedReceiveQueue shared = pair.domain.createSharedReceiveQueue(DEPTH, 2);
    private final QueuePair[] senders = new QueuePair[2];
    private final QueuePair[] receivers = new QueuePair[2];
    private final ReceiveRequests receives = new ReceiveRequests(4 * DEPTH, 2);

    SharedReceiveQueueOnDevice() {
        for (int i = 0; i < 2; i++) {
            senders[i] = pair.domain.createQueuePair(
                    QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, pair.initiator.queue));
            receivers[i] = pair.domain.createQueuePair(
                    QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, pair.target.queue)
                            .withSharedReceiveQueue(shared));
            pair.connect(senders[i], receivers[i]);
        }
        for (int i = 0; i < receives.capacity(); i++) {
            receives.get(i).receive(i).element(pair.target.region, 8L * i, 8);
        }
    }

    @AfterEach
    void close() {
        for (int i = 0; i < 2; i++) {
            senders[i].close();
            receivers[i].close();
        }
        shared.close();
        pair.close();
    }

    @Test
    void eachSendTakesTheNextReceiveWhoeverSent() {
        assertEquals(4, shared.post(receives, 0, 4));
        Set<Integer> numbers = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            Bytes.put(pair.initiator, 0, 50 + i);
            send(senders[i % 2], i);
            pair.initiator.expect(i, SUCCESS);
            pair.target.expect(i, SUCCESS);
            assertEquals(50 + i, Bytes.get(pair.target, 8L * i));
            assertEquals(receivers[i % 2].number(), pair.target.completions.queuePairNumber(0));
            numbers.add(pair.target.completions.queuePairNumber(0));
        }
        assertEquals(2, numbers.size());
    }

    @Test
    void aFullQueueTakesWhatFits() {
        int posted = shared.post(receives, 0, receives.capacity());
        assertTrue(posted >= DEPTH && posted < receives.capacity(), "posted=" + posted);
        assertEquals(0, shared.post(receives, posted, 1), "it is full");
        send(senders[0], 1);
        pair.target.expect(0, SUCCESS);
        assertEquals(1, shared.post(receives, posted, 1), "one has left, one may enter");
    }

    @Test
    @Needs(Need.RECEIVER_NOT_READY)
    void anEmptyQueueIsAReceiverThatIsNotReady() {
        send(senders[0], 1);
        pair.initiator.expect(1, RECEIVER_NOT_READY_RETRY_EXCEEDED);
    }

    @Test
    void itsQueuePairsTakeNoReceivesOfTheirOwn() {
        assertThrows(VerbsException.class, () -> receivers[0].post(receives, 0, 1));
    }

    @Test
    void moreElementsThanItTakes() {
        ReceiveRequests large = new ReceiveRequests(1, 64);
        ReceiveRequest receive = large.get(0).receive(1);
        for (int i = 0; i < 64; i++) {
            receive.element(pair.target.region, i, 1);
        }
        assertEquals(22, assertThrows(VerbsException.class, () -> shared.post(large, 0, 1)).errno());
    }

    @Test
    void receivesStayWhenAQueuePairFails() {
        assertEquals(1, shared.post(receives, 0, 1));
        receivers[0].modify(QueuePairAttributes.to(QueuePairState.ERROR));
        send(senders[1], 1);
        pair.initiator.expect(1, SUCCESS);
        pair.target.expect(0, SUCCESS);
    }

    private void send(QueuePair sender, long id) {
        pair.request().send(id).element(pair.initiator.region, 0, 8).signaled();
        assertEquals(1, sender.post(pair.initiator.sends, 0, 1));
    }
}
