package dev.verbena.verbs;

import static dev.verbena.verbs.Bytes.get;
import static dev.verbena.verbs.Bytes.put;
import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What atomics do beyond the simple case, and what they may not. */
@Needs(Need.ATOMICS)
class AtomicsOnDevice {
    private final LoopbackPair pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED);

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void aCompareThatDiffersSwapsNothing() {
        put(pair.target, 0, 5);
        pair.request().compareAndSwap(1, address(0), pair.target.region.rkey(), 6, 7)
                .element(pair.initiator.region, 0, 8).signaled();
        pair.post();
        pair.initiator.expect(1, SUCCESS);
        assertEquals(5, get(pair.initiator, 0));
        assertEquals(5, get(pair.target, 0));
        assertEquals(WorkCompletionOpcode.COMPARE_AND_SWAP, pair.initiator.completions.opcode(0));
    }

    @Test
    void anAdditionWrapsAround() {
        put(pair.target, 8, -1);
        pair.request().fetchAndAdd(1, address(8), pair.target.region.rkey(), 3).element(pair.initiator.region, 0, 8)
                .signaled();
        pair.post();
        pair.initiator.expect(1, SUCCESS);
        assertEquals(-1, get(pair.initiator, 0));
        assertEquals(2, get(pair.target, 8));
        assertEquals(WorkCompletionOpcode.FETCH_AND_ADD, pair.initiator.completions.opcode(0));
    }

    /** Soft-RoCE says so when it is posted, hardware in the completion. */
    @Test
    @Needs(Need.SOFT_ROCE)
    void anAddressThatIsNotAMultipleOfEight() {
        pair.request().fetchAndAdd(1, address(4), pair.target.region.rkey(), 3).element(pair.initiator.region, 0, 8)
                .signaled();
        VerbsException refused = assertThrows(VerbsException.class, pair::post);
        assertEquals(22, refused.errno());
        assertTrue(refused.getMessage().contains("posted=0"), refused.getMessage());
        assertTrue(refused.getMessage().contains("alignment"), refused.getMessage());
        assertEquals(0, get(pair.target, 4));
        assertEquals(QueuePairState.READY_TO_SEND, pair.initiator.queuePair.state());
    }

    @Test
    @Needs(Need.SOFT_ROCE)
    void whatComesBeforeARefusedRequestIsPosted() {
        put(pair.initiator, 8, 42);
        pair.initiator.sends.get(0).write(1, address(0), pair.target.region.rkey())
                .element(pair.initiator.region, 8, 8).signaled();
        pair.initiator.sends.get(1).fetchAndAdd(2, address(4), pair.target.region.rkey(), 3)
                .element(pair.initiator.region, 0, 8).signaled();
        VerbsException refused = assertThrows(VerbsException.class,
                () -> pair.initiator.queuePair.post(pair.initiator.sends, 0, 2));
        assertTrue(refused.getMessage().contains("posted=1"), refused.getMessage());
        pair.initiator.expect(1, SUCCESS);
        assertEquals(42, get(pair.target, 0));
    }

    private long address(long offset) {
        return pair.target.region.remoteAddress() + offset;
    }
}
