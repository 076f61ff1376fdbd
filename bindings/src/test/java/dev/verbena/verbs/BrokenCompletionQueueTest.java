package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.verbs.abi.rdma_core_h;
import dev.verbena.verbs.ffi.Availability;

/** A completion queue that fails is not taken for an empty one. */
class BrokenCompletionQueueTest {
    private static final int ENOENT = rdma_core_h.ENOENT();

    private StandInDevice device;

    @BeforeEach
    void needsTheLibrary() {
        assumeTrue(Availability.problem() == null, Availability::problem);
        device = new StandInDevice(TransportType.INFINIBAND);
    }

    private static void assertDead(int returned, Runnable poll) {
        VerbsException dead = assertThrows(VerbsException.class, poll::run);
        assertEquals(rdma_core_h.EIO(), dead.errno());
        assertTrue(dead.getMessage().contains("returned=" + returned), dead::getMessage);
        assertTrue(dead.getMessage().contains("the completion queue is dead"), dead::getMessage);
    }

    /** CQ_POLL_ERR is -2 in providers/mlx5/cq.c, mlx4/cq.c, vmw_pvrdma/cq.c, and V2_CQ_POLL_ERR of hns; others say -1. */
    @ParameterizedTest
    @ValueSource(ints = {-1, -2, -5})
    void aNegativeCountSaysSo(int returned) {
        device.poll = (queue, countMax, completions) -> returned;
        assertDead(returned, () -> device.completionQueue.poll(new WorkCompletions(1)));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, -2, -5, 5})
    void soDoesAStep(int returned) {
        device.start = () -> returned;
        assertDead(returned, device.extendedQueue::startPoll);
        device.start = () -> 0;
        device.next = () -> returned;
        assertTrue(device.extendedQueue.startPoll());
        assertDead(returned, device.extendedQueue::nextPoll);
        device.extendedQueue.endPoll();
        assertEquals(1, device.ends);
    }

    @Test
    void anEmptyOneIsEmpty() {
        assertEquals(0, device.completionQueue.poll(new WorkCompletions(1)));
        device.start = () -> ENOENT;
        assertFalse(device.extendedQueue.startPoll());
        device.start = () -> 0;
        device.next = () -> ENOENT;
        assertTrue(device.extendedQueue.startPoll());
        assertFalse(device.extendedQueue.nextPoll());
        device.extendedQueue.endPoll();
    }
}
