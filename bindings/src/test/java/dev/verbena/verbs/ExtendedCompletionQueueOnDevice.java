package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.REMOTE_ACCESS_ERROR;
import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static dev.verbena.verbs.WorkCompletionStatus.WORK_REQUEST_FLUSHED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.rdma_core_h;

@Needs(Need.EXTENDED_COMPLETION_QUEUES)
class ExtendedCompletionQueueOnDevice {
    private final TestDevice device = new TestDevice();
    private final CompletionChannel channel = device.keep(device.context.createCompletionChannel());
    private final ExtendedCompletionQueue queue = device.keep(device.context.createExtendedCompletionQueue(64,
            EnumSet.of(CompletionField.BYTE_SIZE, CompletionField.IMMEDIATE, CompletionField.QUEUE_PAIR_NUMBER,
                    CompletionField.SOURCE_LID, CompletionField.SERVICE_LEVEL, CompletionField.DESTINATION_PATH_BITS),
            channel, 0));
    private final CompletionQueue peerQueue = device.queue();
    private final QueuePair pair = device.queuePair(QueuePairType.RELIABLE_CONNECTED, queue);
    private final QueuePair peer = device.queuePair(QueuePairType.RELIABLE_CONNECTED, peerQueue);
    private final MemoryRegion region = device.region();
    private final SendRequests sends = new SendRequests(8, 1);

    ExtendedCompletionQueueOnDevice() {
        device.connect(pair, peer);
    }

    @AfterEach
    void close() {
        device.close();
    }

    private void write(int index, long id, int rkey) {
        sends.get(index).write(id, region.remoteAddress() + 4096, rkey).element(region, 0, 8).signaled();
    }

    private List<String> pollAll(int count) {
        List<String> seen = new ArrayList<>();
        TestDevice.await(() -> {
            for (boolean has = queue.startPoll(); has; has = queue.nextPoll()) {
                seen.add(queue.workRequestId() + " " + queue.status());
            }
            queue.endPoll();
            return seen.size() >= count;
        });
        return seen;
    }

    @Test
    void completionsAreReadOneByOneAndNoneIsSkipped() {
        for (int round = 0; round < 20; round++) {
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                write(i, round * 8L + i, region.rkey());
                expected.add(round * 8L + i + " SUCCESS");
            }
            assertEquals(8, pair.post(sends, 0, 8));
            assertEquals(expected, pollAll(8));
        }
        assertFalse(queue.startPoll());
        queue.endPoll();
    }

    @Test
    @Needs(Need.IMMEDIATES)
    void theFieldsOfAReceiveAreThoseAskedFor() {
        TestDevice.receive(pair, 31, region, 0, 64);
        sends.get(0).sendWithImmediate(1, 0x01020304).element(region, 0, 24).signaled();
        assertEquals(1, peer.post(sends, 0, 1));
        device.expect(peerQueue, 1, SUCCESS);
        TestDevice.await(queue::startPoll);
        assertEquals(31, queue.workRequestId());
        assertEquals(SUCCESS, queue.status());
        assertEquals(WorkCompletionOpcode.RECEIVE, queue.opcode());
        assertEquals(24, queue.byteSize());
        assertTrue(queue.hasImmediate());
        assertFalse(queue.hasInvalidatedRkey());
        assertEquals(0x01020304, queue.immediate());
        assertEquals(pair.number(), queue.queuePairNumber());
        assertEquals(0, queue.vendorError());
        assertEquals(0, queue.serviceLevel());
        assertEquals(0, queue.sourceLid());
        assertEquals(0, queue.destinationPathBits());
        IllegalStateException notKept = assertThrows(IllegalStateException.class, queue::timestamp);
        assertTrue(notKept.getMessage().contains("field=TIMESTAMP"), notKept.getMessage());
        queue.endPoll();
    }

    @Test
    @Needs(Need.ACKNOWLEDGEMENTS)
    void errorsAndTheFlushBehindThemAreReported() {
        write(0, 1, region.rkey() ^ 0xff);
        write(1, 2, region.rkey());
        assertEquals(2, pair.post(sends, 0, 2));
        assertEquals(List.of("1 " + REMOTE_ACCESS_ERROR, "2 " + WORK_REQUEST_FLUSHED), pollAll(2));
    }

    @Test
    void eventsOfItsChannelAreItsOwn() {
        queue.requestNotification(false);
        write(0, 1, region.rkey());
        assertEquals(1, pair.post(sends, 0, 1));
        assertSame(queue, channel.await(TestDevice.HANG_NS));
        assertEquals(List.of("1 SUCCESS"), pollAll(1));
    }

    @Test
    void itCanBePolledClassicallyToo() {
        write(0, 1, region.rkey());
        assertEquals(1, pair.post(sends, 0, 1));
        device.expect(queue, 1, SUCCESS);
    }

    @Test
    void readingWithoutACompletionIsRefused() {
        assertThrows(IllegalStateException.class, queue::opcode);
        assertThrows(IllegalStateException.class, queue::workRequestId);
        assertThrows(IllegalStateException.class, queue::nextPoll);
        queue.endPoll();
    }

    @Test
    void whatWouldWaitForTheEndOfThePollIsRefused() {
        write(0, 1, region.rkey());
        assertEquals(1, pair.post(sends, 0, 1));
        TestDevice.await(queue::startPoll);
        assertThrows(IllegalStateException.class, queue::startPoll);
        assertThrows(IllegalStateException.class, () -> queue.poll(new WorkCompletions(1)));
        assertThrows(IllegalStateException.class, () -> queue.resize(128));
        ExtendedCompletionQueue lone = device.context.createExtendedCompletionQueue(1,
                EnumSet.of(CompletionField.IMMEDIATE));
        lone.close();
        assertThrows(IllegalStateException.class, lone::startPoll);
        queue.endPoll();
        assertFalse(queue.startPoll());
    }

    @Test
    @Needs(Need.RECEIVER_NOT_READY)
    void itDoesNotCloseWhilePolled() {
        try (TestDevice other = new TestDevice()) {
            ExtendedCompletionQueue polled = other.keep(
                    other.context.createExtendedCompletionQueue(8, EnumSet.noneOf(CompletionField.class)));
            QueuePair one = other.domain.createQueuePair(TestDevice.options(QueuePairType.RELIABLE_CONNECTED, polled));
            QueuePair two = other.queuePair(QueuePairType.RELIABLE_CONNECTED, other.queue());
            other.connect(one, two);
            // A zero-byte send to a peer without a receive ends soon, and with an error.
            sends.get(0).send(1);
            assertEquals(1, one.post(sends, 0, 1));
            TestDevice.await(polled::startPoll);
            assertEquals(WorkCompletionStatus.RECEIVER_NOT_READY_RETRY_EXCEEDED, polled.status());
            one.close();
            IllegalStateException refused = assertThrows(IllegalStateException.class, polled::close);
            assertTrue(refused.getMessage().contains("call endPoll first"), refused.getMessage());
            polled.endPoll();
        }
    }

    @Test
    @Needs(Need.SOFT_ROCE)
    void whatSoftRoceCannotDoIsSaidByName() {
        VerbsException timestamps = assertThrows(VerbsException.class, () -> device.context
                .createExtendedCompletionQueue(8, EnumSet.of(CompletionField.TIMESTAMP)));
        assertEquals(rdma_core_h.EOPNOTSUPP(), timestamps.errno());
        assertTrue(timestamps.getMessage().contains("fields=[TIMESTAMP]"), timestamps.getMessage());
        VerbsException moderation = assertThrows(VerbsException.class, () -> peerQueue.moderate(8, 10));
        assertEquals(rdma_core_h.EOPNOTSUPP(), moderation.errno());
        assertThrows(IllegalArgumentException.class, () -> peerQueue.moderate(65_536, 0));
    }
}
