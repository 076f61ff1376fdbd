package dev.verbena.testing;

import static dev.verbena.testing.FabricPair.assertFilled;
import static dev.verbena.testing.FabricPair.assertZero;
import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;

/** Send queues, lists, completion batches and options. */
interface QueueContract extends FabricFixture {
    /** A list of writes of 8 bytes to 8 * i, with ids from 0. */
    private static WorkRequest writes(FabricPair pair, int count, boolean isSignaled) {
        WorkRequest head = null;
        for (int i = count - 1; i >= 0; i--) {
            WorkRequest write = pair.initiator.request(i, Opcode.WRITE, 8L * i, 8, pair.target, 8L * i);
            write.signaled = isSignaled;
            write.next = head;
            head = write;
        }
        return head;
    }

    @Test
    default void aListIsCarriedOutInOrder() {
        FabricPair pair = connect();
        pair.initiator.fill(0, 64, 1);
        assertEquals(8, pair.initiator.queuePair().post(writes(pair, 8, true)));
        for (int i = 0; i < 8; i++) {
            pair.next(pair.initiator, i, SUCCESS);
        }
        assertFilled(pair.target, 0, 64, 1);
        pair.assertNothingMore();
    }

    /** So a thread may post, poll while that would do something, and do something else. */
    @Test
    default void whatIsPostedArrivesThoughNobodyPollsOn() {
        FabricPair pair = connect();
        pair.target.postReceive(31, 0, 64);
        pair.initiator.fill(0, 64, 1);
        assertEquals(1, pair.initiator.queuePair().post(pair.initiator.send(1, 0, 64)));
        FabricPair.await("a poll would do nothing", () -> pair.initiator.queue.idleNsMax() != 0,
                () -> pair.initiator.poll(64));
        FabricPair.await("the send has arrived", () -> !pair.target.completions.isEmpty(), () -> pair.target.poll(64));
        assertEquals(31, pair.target.completions.getFirst().id());
        assertFilled(pair.target, 0, 64, 1);
    }

    @Test
    default void laterRequestsOverwriteEarlierOnes() {
        FabricPair pair = connect();
        WorkRequest first = pair.initiator.request(1, Opcode.WRITE, 0, 64, pair.target, 0);
        WorkRequest second = pair.initiator.request(2, Opcode.WRITE, 64, 64, pair.target, 0);
        WorkRequest third = pair.initiator.request(3, Opcode.READ, 128, 64, pair.target, 0);
        first.next = second;
        second.next = third;
        pair.initiator.fill(0, 64, 1);
        pair.initiator.fill(64, 64, 2);
        assertEquals(3, pair.initiator.queuePair().post(first));
        pair.next(pair.initiator, 1, SUCCESS);
        pair.next(pair.initiator, 2, SUCCESS);
        pair.next(pair.initiator, 3, SUCCESS);
        assertFilled(pair.target, 0, 64, 2);
        assertFilled(pair.initiator, 128, 64, 2);
    }

    @Test
    default void aFullSendQueueTakesTheHeadOfTheList() {
        FabricPair pair = connect();
        int depth = FabricPair.Options.DEFAULT.depth();
        pair.initiator.fill(0, 8 * (depth + 5), 1);
        WorkRequest head = writes(pair, depth + 5, true);
        assertEquals(depth, pair.initiator.queuePair().post(head));
        assertEquals(0, pair.initiator.queuePair().post(head));
        for (int i = 0; i < depth; i++) {
            pair.next(pair.initiator, i, SUCCESS);
        }
        pair.assertNothingMore();
        assertZero(pair.target, 8 * depth, 40);
        WorkRequest rest = head;
        for (int i = 0; i < depth; i++) {
            rest = rest.next;
        }
        assertEquals(5, pair.initiator.queuePair().post(rest));
        pair.next(pair.initiator, depth, SUCCESS);
    }

    @Test
    default void unsignaledRequestsReportNothingAndGiveTheirSlotsBack() {
        FabricPair pair = connect();
        pair.initiator.fill(0, 64, 3);
        for (int round = 0; round < 20; round++) {
            WorkRequest head = writes(pair, 8, false);
            WorkRequest last = head;
            while (last.next != null) {
                last = last.next;
            }
            last.signaled = true;
            assertEquals(8, pair.initiator.queuePair().post(head));
            pair.next(pair.initiator, 7, SUCCESS);
        }
        assertFilled(pair.target, 0, 64, 3);
        pair.assertNothingMore();
    }

    /** Else nobody would be told when there is room again. */
    @Test
    default void behindUnsignaledRequestsOnlyAListIsTakenAtLeastInPart() {
        FabricPair pair = connect();
        for (int round = 0; round < 50; round++) {
            WorkRequest silent = writes(pair, 1, false);
            assertEquals(1, pair.initiator.queuePair().post(silent));
            WorkRequest rest = writes(pair, 3, true);
            int signaled = pair.initiator.queuePair().post(rest);
            assertTrue(signaled > 0, "taken of a list in round " + round);
            for (int i = 0; i < signaled; i++) {
                pair.next(pair.initiator, i, SUCCESS);
            }
        }
        pair.assertNothingMore();
    }

    @Test
    default void listsOfAnyLengthCompleteInTheOrderPosted() {
        FabricPair pair = connect();
        Random random = new Random(4);
        Deque<Long> expected = new ArrayDeque<>();
        for (int step = 0; step < 2000; step++) {
            WorkRequest head = writes(pair, 1 + random.nextInt(8), true);
            for (WorkRequest each = head; each != null; each = each.next) {
                each.workRequestId += 10L * step;
                each.signaled = random.nextBoolean();
            }
            int count = pair.initiator.queuePair().post(head);
            for (WorkRequest each = head; count > 0; each = each.next, count--) {
                if (each.signaled) {
                    expected.add(each.workRequestId);
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

    @Test
    default void pollHonoursItsLimit() {
        FabricPair pair = connect(FabricPair.Options.DEFAULT.withQueuePairs(3));
        WorkRequest write = pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, 0);
        for (QueuePair queuePair : pair.initiator.connection.queuePairs()) {
            for (int i = 0; i < 4; i++) {
                assertEquals(1, queuePair.post(write));
            }
        }
        int total = 0;
        while (total < 12) {
            int count = pair.initiator.poll(5);
            assertTrue(count <= 5);
            total += count;
            assertEquals(total, pair.initiator.completions.size());
        }
        assertEquals(12, total);
        assertEquals(0, pair.initiator.poll(5));
        assertEquals(0, pair.initiator.poll(0));
    }

    @Test
    default void aBusyQueuePairDoesNotStarveAnother() {
        FabricPair pair = connect(FabricPair.Options.DEFAULT.withQueuePairs(2));
        QueuePair busy = pair.initiator.connection.queuePairs().get(0);
        QueuePair other = pair.initiator.connection.queuePairs().get(1);
        WorkRequest write = pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, 0);
        WorkRequest seldom = pair.initiator.request(2, Opcode.WRITE, 0, 8, pair.target, 0);
        assertEquals(1, other.post(seldom));
        // How soon is the device's affair, which may have to be scheduled for the other one first.
        FabricPair.await("the other queue pair has its turn, with countMax 1", () -> {
            boolean hasSeldom = false;
            while (!pair.initiator.completions.isEmpty()) {
                hasSeldom |= pair.initiator.completions.remove().id() == 2;
            }
            return hasSeldom;
        }, () -> {
            while (busy.post(write) == 1) {
                // Always full, so that there is always a completion of this one.
            }
            pair.initiator.poll(1);
        });
    }

    @Test
    default void aHandlerMayPost() {
        FabricPair pair = connect();
        WorkRequest write = pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, 0);
        int[] completed = {0};
        assertEquals(1, pair.initiator.queuePair().post(write));
        FabricPair.await("a chain of 100 writes has run", () -> completed[0] == 100,
                () -> pair.initiator.queue.poll(completion -> {
                    if (++completed[0] < 100) {
                        completion.queuePair.post(write);
                    }
                }, 16));
        pair.assertNothingMore();
    }

    @Test
    default void wrongRequestsThrowBeforeAnythingIsPosted() {
        FabricPair pair = connect();
        QueuePair queuePair = pair.initiator.queuePair();
        WorkRequest good = pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, 0);
        pair.initiator.fill(0, 8, 1);
        good.next = pair.initiator.request(2, Opcode.RECEIVE);
        assertThrows(IllegalArgumentException.class, () -> queuePair.post(good));
        good.next = pair.initiator.request(2, null);
        assertThrows(IllegalArgumentException.class, () -> queuePair.post(good));
        good.next = pair.initiator.request(2, Opcode.WRITE).element(pair.initiator.region, 0, -8);
        assertThrows(IllegalArgumentException.class, () -> queuePair.post(good));
        good.next = pair.initiator.request(2, Opcode.WRITE).element(null, 0, 8);
        assertThrows(IllegalArgumentException.class, () -> queuePair.post(good));
        good.next = pair.initiator.request(2, Opcode.WRITE).element(pair.target.region, 0, 8);
        String foreign = assertThrows(IllegalArgumentException.class, () -> queuePair.post(good)).getMessage();
        assertTrue(foreign.contains("is not a part of a region of this fabric"), foreign);
        int elementCountMax = pair.initiator.fabric.capabilities().elementCountMax();
        good.next = new WorkRequest(elementCountMax + 1).reset(2, Opcode.WRITE);
        for (int i = 0; i <= elementCountMax; i++) {
            good.next.element(pair.initiator.region, 0, 1);
        }
        assertThrows(IllegalArgumentException.class, () -> queuePair.post(good));
        pair.assertNothingMore();
        assertZero(pair.target, 0, 8);
        assertEquals(QueuePair.State.READY, queuePair.state());
    }

    /** It may be another than that of writes. */
    @Test
    default void aReadOfMoreElementsThanTheFabricReadsIntoThrows() {
        FabricPair pair = connect();
        int most = pair.initiator.fabric.capabilities().readElementCountMax();
        assertTrue(most >= 1 && most <= pair.initiator.fabric.capabilities().elementCountMax(), "most=" + most);
        WorkRequest read = new WorkRequest(most + 1).reset(1, Opcode.READ).remote(pair.target.region.address(),
                pair.target.region.rkey());
        for (int i = 0; i <= most; i++) {
            read.element(pair.initiator.region, 8 * i, 8);
        }
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                () -> pair.initiator.queuePair().post(read));
        assertTrue(e.getMessage().contains("is not in 0.." + most), e.getMessage());
        read.elementCount = most;
        pair.target.fill(0, 8 * most, 2);
        pair.run(read, SUCCESS);
        assertFilled(pair.initiator, 0, 8 * most, 2);
    }

    /** However many of them the device is handed at once. */
    @Test
    default void aWrongRequestFarDownTheListThrowsBeforeAnythingIsPosted() {
        FabricPair pair = connect(FabricPair.Options.DEFAULT.withDepth(256));
        QueuePair queuePair = pair.initiator.queuePair();
        pair.initiator.fill(0, 8, 1);
        WorkRequest last = pair.initiator.request(200, null);
        WorkRequest head = last;
        for (int i = 199; i >= 0; i--) {
            WorkRequest request = pair.initiator.request(i, Opcode.WRITE, 0, 8, pair.target, 0);
            request.signaled = false;
            request.next = head;
            head = request;
        }
        WorkRequest list = head;
        assertThrows(IllegalArgumentException.class, () -> queuePair.post(list));
        pair.assertNothingMore();
        assertZero(pair.target, 0, 8);
        last.reset(200, Opcode.WRITE).remote(head.remoteAddress, head.rkey);
        assertEquals(201, queuePair.post(list));
        pair.next(pair.initiator, 200, SUCCESS);
        assertFilled(pair.target, 0, 8, 1);
    }

    @Test
    default void aQueuePairTakesNoMoreElementsThanItWasMadeFor() {
        FabricPair pair = connect();
        Connection narrow = pair.initiator.fabric.connect(pair.target.endpoint,
                List.of(pair.initiator.queuePairOptions(1).getFirst().withElementCountMax(1)), 20_000_000_000L);
        pair.initiator.fill(0, 16, 1);
        WorkRequest two = new WorkRequest(2).reset(1, Opcode.WRITE).element(pair.initiator.region, 0, 8)
                .element(pair.initiator.region, 8, 8)
                .remote(pair.target.region.address(), pair.target.region.rkey());
        QueuePair queuePair = narrow.queuePairs().getFirst();
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> queuePair.post(two));
        assertTrue(e.getMessage().contains("elementCount=2 is not in 0..1"), e.getMessage());
        two.elementCount = 1;
        assertEquals(1, queuePair.post(two));
        pair.next(pair.initiator, 1, SUCCESS);
        assertFilled(pair.target, 0, 8, 1);
        assertZero(pair.target, 8, 8);
    }

    @Test
    default void wrongOptionsThrow() {
        FabricPair pair = connect();
        Fabric fabric = pair.initiator.fabric;
        CompletionQueue queue = pair.initiator.queue;
        CompletionQueue closed = fabric.createCompletionQueue(16);
        closed.close();
        closed.close();
        int depthMax = fabric.capabilities().depthMax();
        List<QueuePairOptions> wrong = List.of(new QueuePairOptions(queue, 0, 8, 0),
                new QueuePairOptions(queue, 8, 0, 0),
                new QueuePairOptions(queue, 7, 8, 0), new QueuePairOptions(queue, 8, 12, 0),
                new QueuePairOptions(queue, -8, 8, 0), new QueuePairOptions(queue, 2 * depthMax, 8, 0),
                new QueuePairOptions(queue, 8, 2 * depthMax, 0), new QueuePairOptions(queue, 8, 8, -1),
                new QueuePairOptions(queue, 8, 8, 0).withInlineByteSizeMax(-1),
                new QueuePairOptions(queue, 8, 8, 0).withElementCountMax(0),
                new QueuePairOptions(queue, 8, 8, 0)
                        .withElementCountMax(fabric.capabilities().elementCountMax() + 1),
                new QueuePairOptions(null, 8, 8, 0), new QueuePairOptions(pair.target.queue, 8, 8, 0),
                new QueuePairOptions(closed, 8, 8, 0));
        for (QueuePairOptions options : wrong) {
            assertThrows(IllegalArgumentException.class,
                    () -> fabric.connect(pair.target.endpoint, List.of(options), 1_000_000_000L), options.toString());
        }
        assertThrows(IllegalArgumentException.class,
                () -> fabric.connect(pair.target.endpoint, List.of(), 1_000_000_000L));
        assertThrows(IllegalArgumentException.class, () -> fabric.createCompletionQueue(0));
        assertEquals(1, pair.target.requests.size(), "none of them reached the other side");
    }

    @Test
    default void completionQueuesAreBounded() {
        Fabric fabric = openFabric();
        for (int i = 0; i < 8; i++) {
            fabric.createCompletionQueue(16);
        }
        assertThrows(TransferException.class, () -> {
            for (int i = 0; i < 1_000_000; i++) {
                fabric.createCompletionQueue(16);
            }
        });
    }

    @Test
    default void aCompletionQueueInUseCannotBeClosed() {
        FabricPair pair = connect();
        assertThrows(IllegalStateException.class, () -> pair.initiator.queue.close());
        pair.initiator.connection.close();
        pair.initiator.queue.close();
        pair.initiator.queue.close();
        assertThrows(IllegalStateException.class, () -> pair.initiator.queue.poll(completion -> {}, 1));
    }
}
