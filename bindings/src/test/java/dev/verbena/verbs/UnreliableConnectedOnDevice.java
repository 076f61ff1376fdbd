package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Unreliable connected queue pairs: nothing is acknowledged, so nothing that fails at the peer is reported. */
@Needs(Need.UNRELIABLE_CONNECTIONS)
class UnreliableConnectedOnDevice {
    private final LoopbackPair pair = new LoopbackPair(QueuePairType.UNRELIABLE_CONNECTED);

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void writesAndSendsArrive() {
        Bytes.put(pair.initiator, 0, 42);
        pair.target.receive(31, 8, 8);
        pair.request().writeWithImmediate(1, pair.target.region.remoteAddress(), pair.target.region.rkey(), 5)
                .element(pair.initiator.region, 0, 8).signaled();
        pair.post();
        pair.initiator.expect(1, SUCCESS);
        pair.target.expect(31, SUCCESS);
        assertEquals(5, pair.target.completions.immediate(0));
        assertEquals(42, Bytes.get(pair.target, 0));
        pair.target.receive(32, 8, 8);
        send(2);
        pair.target.expect(32, SUCCESS);
        assertEquals(42, Bytes.get(pair.target, 8));
    }

    @Test
    void aSendWithoutAReceiveIsDroppedSilently() {
        send(1);
        pair.target.receive(31, 0, 8);
        Bytes.put(pair.initiator, 0, 43);
        send(2);
        pair.target.expect(31, SUCCESS);
        assertEquals(43, Bytes.get(pair.target, 0), "the second one, not the first");
        assertEquals(QueuePairState.READY_TO_SEND, pair.initiator.queuePair.state());
    }

    @Test
    void aWriteWithAWrongRkeyIsDroppedSilently() {
        Bytes.put(pair.initiator, 0, 42);
        pair.request().write(1, pair.target.region.remoteAddress(), pair.target.region.rkey() ^ 0x100)
                .element(pair.initiator.region, 0, 8).signaled();
        pair.post();
        pair.initiator.expect(1, SUCCESS);
        assertEquals(QueuePairState.READY_TO_SEND, pair.initiator.queuePair.state());
        assertEquals(0, Bytes.sum(pair.target.region.memory()));
    }

    /** Soft-RoCE finds no such operation for the type when the request's turn comes; others refuse the post. */
    @Test
    @Needs(Need.SOFT_ROCE)
    void thereAreNoReads() {
        pair.request().read(1, pair.target.region.remoteAddress(), pair.target.region.rkey())
                .element(pair.initiator.region, 0, 8).signaled();
        pair.post();
        pair.initiator.expect(1, WorkCompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
        assertEquals(QueuePairState.ERROR, pair.initiator.queuePair.state());
    }

    private void send(long id) {
        pair.request().send(id).element(pair.initiator.region, 0, 8).signaled();
        pair.post();
        pair.initiator.expect(id, SUCCESS);
    }
}
