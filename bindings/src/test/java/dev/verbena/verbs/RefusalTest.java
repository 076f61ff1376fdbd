package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.verbs.abi.ibv_qp;
import dev.verbena.verbs.abi.ibv_recv_wr;
import dev.verbena.verbs.abi.ibv_send_wr;
import dev.verbena.verbs.abi.rdma_core_h;
import dev.verbena.verbs.ffi.Availability;

/** A full queue is a count, what would never fit is an exception; as the providers' sources say it. */
class RefusalTest {
    private static final int LIST = 3;
    private static final int ENOMEM = rdma_core_h.ENOMEM();
    private static final int EINVAL = rdma_core_h.EINVAL();

    private StandInDevice device;
    private final SendRequests sends = sends(1);

    @BeforeEach
    void needsTheLibrary() {
        assumeTrue(Availability.problem() == null, Availability::problem);
        device = readyDevice("");
    }

    private static StandInDevice readyDevice(String provider) {
        StandInDevice device = new StandInDevice(TransportType.INFINIBAND, provider);
        ibv_qp.state(device.pair, QueuePairState.READY_TO_SEND.code());
        return device;
    }

    private static SendRequests sends(int elements) {
        SendRequests sends = new SendRequests(LIST, 8, 64);
        for (int i = 0; i < LIST; i++) {
            sends.get(i).send(10 + i);
        }
        for (int i = 0; i < elements; i++) {
            sends.get(1).addElement(0, 8, 0);
        }
        return sends;
    }

    private static ReceiveRequests receives(int elements) {
        ReceiveRequests receives = new ReceiveRequests(LIST, 8);
        for (int i = 0; i < LIST; i++) {
            receives.get(i).receive(10 + i);
        }
        for (int i = 0; i < elements; i++) {
            receives.get(1).addElement(0, 8, 0);
        }
        return receives;
    }

    /** Refuses the request at the index of the list. */
    private static StandInDevice.Post refusing(int index, int returned) {
        return (queue, list, bad) -> {
            long next = list;
            for (int i = 0; i < index; i++) {
                next = MemorySegment.ofAddress(next).reinterpret(64).get(ValueLayout.JAVA_LONG,
                        ibv_recv_wr.next$offset());
            }
            assertEquals(ibv_send_wr.next$offset(), ibv_recv_wr.next$offset());
            bad.set(ValueLayout.JAVA_LONG, 0, next);
            return returned;
        };
    }

    private static void assertNeverFits(String what, Runnable post) {
        VerbsException refused = assertThrows(VerbsException.class, post::run);
        assertEquals(EINVAL, refused.errno());
        assertTrue(refused.getMessage().contains("posted=1, request id=11, " + what), refused::getMessage);
    }

    /** ENOMEM of most (mlx5_post_send, irdma_upost_send, rxe_post_send), -ENOMEM of qedr, cxgb4, erdma and siw. */
    @ParameterizedTest
    @ValueSource(ints = {1, -1})
    void aFullQueueTakesWhatFits(int sign) {
        device.post = refusing(1, sign * ENOMEM);
        assertEquals(1, device.queuePair.post(sends(StandInDevice.ELEMENTS), 0, LIST));
        assertEquals(1, device.queuePair.post(receives(StandInDevice.ELEMENTS), 0, LIST));
        assertEquals(1, device.sharedReceiveQueue.post(receives(StandInDevice.ELEMENTS), 0, LIST));
        device.post = refusing(0, sign * ENOMEM);
        assertEquals(0, device.queuePair.post(sends, 1, 2));
    }

    /** ENOMEM of mlx5_post_send, mlx4_post_send, bnxt_re_post_send and ocrdma_post_send, and their receives. */
    @Test
    void moreElementsThanItTakesNeverFit() {
        device.post = refusing(1, ENOMEM);
        String what = "elements=3, elementCountMax=2";
        assertNeverFits(what, () -> device.queuePair.post(sends(3), 0, LIST));
        assertNeverFits(what, () -> device.queuePair.post(receives(3), 0, LIST));
        assertNeverFits(what, () -> device.sharedReceiveQueue.post(receives(3), 0, LIST));
    }

    /** ENOMEM of set_data_inl_seg in providers/mlx5/qp.c, of mlx4_post_send and bnxt_re_post_send. */
    @Test
    void moreInlineDataThanItTakesNeverFits() {
        device.post = refusing(1, ENOMEM);
        sends.get(1).send(11).inline(MemorySegment.ofArray(new byte[StandInDevice.INLINE_BYTES + 1]));
        assertNeverFits("inlineBytes=17, inlineByteSizeMax=16", () -> device.queuePair.post(sends, 0, LIST));
        sends.get(1).send(11).inline(MemorySegment.ofArray(new byte[StandInDevice.INLINE_BYTES]));
        assertEquals(1, device.queuePair.post(sends, 0, LIST));
    }

    /** mlx4_post_srq_recv (providers/mlx4/srq.c). */
    @Test
    void aFullSharedReceiveQueueOfMlx4SaysMinusOne() {
        device.post = refusing(2, -1);
        assertEquals(2, device.sharedReceiveQueue.post(receives(1), 0, LIST));
        device.post = refusing(1, -1);
        assertNeverFits("elements=3, elementCountMax=2", () -> device.sharedReceiveQueue.post(receives(3), 0, LIST));
    }

    /** siw_post_send (providers/siw/siw.c) returns what the doorbell of the requests before it returned. */
    @Test
    void siwNamesARefusedRequestAndReturnsZero() {
        device = readyDevice("siw");
        device.post = refusing(1, 0);
        assertEquals(1, device.queuePair.post(sends, 0, LIST));
        device.post = (queue, list, bad) -> 0;
        assertEquals(LIST, device.queuePair.post(sends, 0, LIST), "what was named before is forgotten");
    }

    @Test
    void anotherErrorIsAnException() {
        device.post = refusing(2, EINVAL);
        VerbsException refused = assertThrows(VerbsException.class, () -> device.queuePair.post(sends, 0, LIST));
        assertTrue(refused.getMessage().contains("posted=2"), refused::getMessage);
        device.post = (queue, list, bad) -> ENOMEM;
        VerbsException nameless = assertThrows(VerbsException.class, () -> device.queuePair.post(sends, 0, LIST));
        assertTrue(nameless.getMessage().contains("posted=unknown"), nameless::getMessage);
    }
}
