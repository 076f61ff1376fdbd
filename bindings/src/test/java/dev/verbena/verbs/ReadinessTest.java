package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.ibv_qp;
import dev.verbena.verbs.ffi.Availability;

/** Posting waits for the state in which the provider may be asked. */
class ReadinessTest {
    @BeforeEach
    void needsTheLibrary() {
        assumeTrue(Availability.problem() == null, Availability::problem);
    }

    private static StandInDevice inState(TransportType transport, QueuePairState state) {
        StandInDevice device = new StandInDevice(transport);
        ibv_qp.state(device.pair, state.code());
        return device;
    }

    private static void assertRefused(StandInDevice device) {
        SendRequests sends = new SendRequests(1, 1);
        int before = device.posts;
        VerbsException refused = assertThrows(VerbsException.class, () -> device.queuePair.post(sends, 0, 1));
        assertTrue(refused.getMessage().contains("bring the queue pair to state READY_TO_SEND first"),
                refused::getMessage);
        assertEquals(before, device.posts, "the provider was asked");
    }

    /** The kernel's iw_cm_init_qp_attr (drivers/infiniband/core/iwcm.c) leaves librdmacm nothing to modify for RTS. */
    @Test
    void onIwarpAnEventTellsThatTheConnectionStands() {
        StandInDevice device = inState(TransportType.IWARP, QueuePairState.INIT);
        SendRequests sends = new SendRequests(1, 1);
        assertRefused(device);
        device.queuePair.reach(QueuePairState.READY_TO_SEND);
        assertEquals(1, device.queuePair.post(sends, 0, 1));
        device.queuePair.reach(QueuePairState.ERROR);
        assertEquals(1, device.queuePair.post(sends, 0, 1), "to be flushed");
        assertEquals(2, device.posts);
    }

    @Test
    void elsewhereOnlyTheMoveToThatStateCounts() {
        StandInDevice device = inState(TransportType.INFINIBAND, QueuePairState.READY_TO_RECEIVE);
        device.queuePair.reach(QueuePairState.READY_TO_SEND);
        assertRefused(device);
        ibv_qp.state(device.pair, QueuePairState.READY_TO_SEND.code());
        assertEquals(1, device.queuePair.post(new SendRequests(1, 1), 0, 1));
    }
}
