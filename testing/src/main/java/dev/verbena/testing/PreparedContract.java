package dev.verbena.testing;

import static dev.verbena.testing.FabricPair.assertFilled;
import static dev.verbena.testing.FabricPair.assertZero;
import static dev.verbena.transfer.spi.CompletionStatus.LOCAL_PROTECTION_ERROR;
import static dev.verbena.transfer.spi.CompletionStatus.REMOTE_ACCESS_ERROR;
import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static dev.verbena.transfer.spi.CompletionStatus.WORK_REQUEST_FLUSHED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Random;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.PreparedRequests;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/** Lists that are prepared once: what they do is what the same list does when it is posted each time. */
interface PreparedContract extends FabricFixture {
    /** Without payload in the requests, so that a device may be given them as they are. */
    private FabricPair connectPlainly() {
        return connect(FabricPair.Options.DEFAULT.withInlineByteSizeMax(0));
    }

    private static WorkRequest linked(WorkRequest... requests) {
        for (int i = 1; i < requests.length; i++) {
            requests[i - 1].next = requests[i];
        }
        return requests[0];
    }

    private static WorkRequest silent(WorkRequest request) {
        request.signaled = false;
        return request;
    }

    /** Writes 8 bytes to the same offset. */
    private static WorkRequest write(FabricPair pair, long id, long offset) {
        return pair.initiator.request(id, Opcode.WRITE, offset, 8, pair.target, offset);
    }

    private static void postWhole(FabricPair pair, PreparedRequests list) {
        assertEquals(list.count(), pair.initiator.queuePair().post(list, 0));
    }

    @Test
    default void aPreparedListSendsWhatIsInMemoryAtEachPost() {
        for (int inlineByteSizeMax : new int[]{0, 128}) {
            FabricPair pair = connect(FabricPair.Options.DEFAULT.withInlineByteSizeMax(inlineByteSizeMax));
            PreparedRequests list = pair.initiator.queuePair().prepare(
                    linked(silent(write(pair, 1, 0)), write(pair, 2, 8), silent(write(pair, 3, 16)),
                            write(pair, 4, 24)));
            assertEquals(4, list.count());
            for (int round = 1; round <= 30; round++) {
                pair.initiator.fill(0, 32, round);
                postWhole(pair, list);
                pair.next(pair.initiator, 2, SUCCESS);
                pair.next(pair.initiator, 4, SUCCESS);
                assertFilled(pair.target, 0, 32, round);
            }
            pair.assertNothingMore();
        }
    }

    @Test
    default void requestsMayChangeOnceTheyArePrepared() {
        FabricPair pair = connectPlainly();
        pair.initiator.fill(0, 8, 1);
        WorkRequest request = write(pair, 1, 0);
        PreparedRequests list = pair.initiator.queuePair().prepare(request);
        request.reset(2, Opcode.READ).element(pair.initiator.region, 64, 8).next = request;
        postWhole(pair, list);
        pair.next(pair.initiator, 1, SUCCESS);
        assertFilled(pair.target, 0, 8, 1);
        pair.assertNothingMore();
    }

    @Test
    default void allOperationsCanBePrepared() {
        FabricPair pair = connectPlainly();
        WorkRequest add = pair.initiator.request(1, Opcode.FETCH_AND_ADD, 0, 8, pair.target, 0);
        add.compareOrAdd = 5;
        WorkRequest read = pair.initiator.request(2, Opcode.READ, 8, 8, pair.target, 0);
        WorkRequest nothing = pair.initiator.request(3, Opcode.WRITE, 0, 0, pair.target, 0);
        WorkRequest send = pair.initiator.send(4, 8, 8);
        WorkRequest immediate = pair.initiator.request(5, Opcode.WRITE_WITH_IMMEDIATE, 8, 8, pair.target, 64);
        immediate.immediate = 77;
        PreparedRequests list = pair.initiator.queuePair().prepare(linked(add, read, nothing, send, immediate));
        for (long round = 1; round <= 3; round++) {
            assertTrue(pair.target.postReceive(41, 128, 8));
            assertTrue(pair.target.postReceive(42, 0, 0));
            postWhole(pair, list);
            for (int id = 1; id <= 5; id++) {
                pair.next(pair.initiator, id, SUCCESS);
            }
            pair.next(pair.target, 41, SUCCESS);
            assertEquals(77, pair.next(pair.target, 42, SUCCESS).immediate());
            for (long offset : new long[]{0, 64, 128}) {
                assertEquals(5 * round, pair.target.region.memory().get(ValueLayout.JAVA_LONG, offset));
            }
        }
    }

    @Test
    default void aFullSendQueueTakesTheHeadOfAPreparedList() {
        FabricPair pair = connectPlainly();
        QueuePair queuePair = pair.initiator.queuePair();
        PreparedRequests list = queuePair.prepare(linked(write(pair, 0, 0), write(pair, 1, 8), write(pair, 2, 16),
                write(pair, 3, 24), write(pair, 4, 32)));
        assertEquals(5, queuePair.post(list, 0));
        assertEquals(3, queuePair.post(list, 0));
        assertEquals(0, queuePair.post(list, 3));
        for (int i = 0; i < 8; i++) {
            pair.next(pair.initiator, i % 5, SUCCESS);
        }
        assertEquals(2, queuePair.post(list, 3));
        pair.next(pair.initiator, 3, SUCCESS);
        pair.next(pair.initiator, 4, SUCCESS);
        pair.assertNothingMore();
    }

    @Test
    default void silentListsGiveTheirSlotsBack() {
        FabricPair pair = connectPlainly();
        QueuePair queuePair = pair.initiator.queuePair();
        PreparedRequests list = queuePair
                .prepare(linked(silent(write(pair, 0, 0)), silent(write(pair, 1, 8)), silent(write(pair, 2, 16))));
        for (int i = 0; i < 50; i++) {
            int[] posted = {0};
            pair.await("the send queue has room", () -> (posted[0] += queuePair.post(list, posted[0])) == 3);
        }
        pair.await("the send queue has room", () -> queuePair.post(write(pair, 7, 0)) == 1);
        pair.next(pair.initiator, 7, SUCCESS);
        pair.assertNothingMore();
    }

    @Test
    default void preparedAndOtherRequestsCompleteInTheOrderPosted() {
        FabricPair pair = connectPlainly();
        QueuePair queuePair = pair.initiator.queuePair();
        Random random = new Random(4);
        PreparedRequests[] lists = new PreparedRequests[6];
        boolean[][] isSignaled = new boolean[lists.length][];
        for (int i = 0; i < lists.length; i++) {
            WorkRequest[] requests = new WorkRequest[1 + random.nextInt(8)];
            isSignaled[i] = new boolean[requests.length];
            for (int k = 0; k < requests.length; k++) {
                requests[k] = write(pair, 10 * i + k, 8L * k);
                isSignaled[i][k] = requests[k].signaled = random.nextBoolean();
            }
            lists[i] = queuePair.prepare(linked(requests));
        }
        Deque<Long> expected = new ArrayDeque<>();
        for (int step = 0; step < 2000; step++) {
            int i = random.nextInt(lists.length + 1);
            if (i == lists.length) {
                WorkRequest other = write(pair, 1000 + step, 0);
                other.signaled = random.nextBoolean();
                if (queuePair.post(other) == 1 && other.signaled) {
                    expected.add(other.workRequestId);
                }
            } else {
                int first = random.nextInt(lists[i].count());
                int count = queuePair.post(lists[i], first);
                for (int k = first; k < first + count; k++) {
                    if (isSignaled[i][k]) {
                        expected.add(10L * i + k);
                    }
                }
            }
            pair.initiator.poll(1 + random.nextInt(4));
            while (!pair.initiator.completions.isEmpty()) {
                pair.next(pair.initiator, expected.remove(), SUCCESS);
            }
        }
        while (!expected.isEmpty()) {
            pair.next(pair.initiator, expected.remove(), SUCCESS);
        }
        pair.assertNothingMore();
    }

    /** Whether or not it is signaled, and whatever else is under way. */
    @Test
    default void theRequestThatFailsIsNamed() {
        for (boolean isSignaled : new boolean[]{false, true}) {
            FabricPair pair = connectPlainly();
            QueuePair queuePair = pair.initiator.queuePair();
            pair.initiator.fill(0, 64, 1);
            PreparedRequests good = queuePair.prepare(linked(silent(write(pair, 1, 0)), write(pair, 2, 8)));
            WorkRequest bad = pair.initiator.request(4, Opcode.WRITE, 0, 8, pair.target, -64);
            bad.signaled = isSignaled;
            PreparedRequests failing = queuePair
                    .prepare(linked(silent(write(pair, 3, 16)), bad, silent(write(pair, 5, 24))));
            postWhole(pair, good);
            postWhole(pair, failing);
            postWhole(pair, good);
            pair.next(pair.initiator, 2, SUCCESS);
            String cause = pair.next(pair.initiator, 4, REMOTE_ACCESS_ERROR).cause();
            for (int id : new int[]{5, 1, 2}) {
                assertTrue(pair.next(pair.initiator, id, WORK_REQUEST_FLUSHED).cause().contains(cause));
            }
            assertFilled(pair.target, 0, 24, 1);
            assertZero(pair.target, 24, 8);
            // And so is what is posted later.
            postWhole(pair, good);
            pair.next(pair.initiator, 1, WORK_REQUEST_FLUSHED);
            pair.next(pair.initiator, 2, WORK_REQUEST_FLUSHED);
            pair.assertNothingMore();
        }
    }

    @Test
    default void aRequestOutsideItsRegionFailsWhenItsTurnHasCome() {
        FabricPair pair = connectPlainly();
        pair.initiator.fill(0, 16, 1);
        PreparedRequests list = pair.initiator.queuePair().prepare(linked(write(pair, 1, 0),
                pair.initiator.request(2, Opcode.WRITE, FabricSide.REGION_BYTE_SIZE - 4, 8, pair.target, 8),
                write(pair, 3, 8)));
        postWhole(pair, list);
        pair.next(pair.initiator, 1, SUCCESS);
        assertTrue(pair.next(pair.initiator, 2, LOCAL_PROTECTION_ERROR).cause().contains("outside its region"));
        pair.next(pair.initiator, 3, WORK_REQUEST_FLUSHED);
        assertFilled(pair.target, 0, 8, 1);
        assertZero(pair.target, 8, 8);
    }

    @Test
    default void aRegionThatWasClosedSinceIsNotSent() {
        FabricPair pair = connectPlainly();
        MemoryRegion region = pair.initiator.fabric.register(4096, EnumSet.of(AccessRight.LOCAL_WRITE));
        WorkRequest request = new WorkRequest(1).reset(1, Opcode.WRITE).element(region, 0, 8)
                .remote(pair.target.region.address(), pair.target.region.rkey());
        PreparedRequests list = pair.initiator.queuePair().prepare(request);
        postWhole(pair, list);
        pair.next(pair.initiator, 1, SUCCESS);
        region.close();
        postWhole(pair, list);
        assertTrue(pair.next(pair.initiator, 1, LOCAL_PROTECTION_ERROR).cause().contains("is closed"));
    }

    @Test
    default void whatCannotBePreparedOrPostedSaysSo() {
        FabricPair pair = connect(FabricPair.Options.DEFAULT.withQueuePairs(2));
        QueuePair queuePair = pair.initiator.queuePair();
        assertThrows(IllegalArgumentException.class, () -> queuePair.prepare(null));
        assertThrows(IllegalArgumentException.class,
                () -> queuePair.prepare(linked(write(pair, 1, 0), pair.initiator.request(2, Opcode.RECEIVE))));
        WorkRequest endless = write(pair, 1, 0);
        endless.next = endless;
        String tooMany = assertThrows(IllegalArgumentException.class, () -> queuePair.prepare(endless)).getMessage();
        assertTrue(tooMany.contains("sendDepth=8"), tooMany);
        PreparedRequests list = queuePair.prepare(write(pair, 1, 0));
        QueuePair other = pair.initiator.connection.queuePairs().get(1);
        assertThrows(IllegalArgumentException.class, () -> other.post(list, 0));
        assertThrows(IllegalArgumentException.class, () -> queuePair.post(null, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> queuePair.post(list, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> queuePair.post(list, -1));
        pair.assertNothingMore();
        pair.initiator.connection.close();
        assertThrows(IllegalStateException.class, () -> queuePair.post(list, 0));
        assertThrows(IllegalStateException.class, () -> queuePair.prepare(write(pair, 1, 0)));
    }
}
