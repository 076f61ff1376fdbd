package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static dev.verbena.verbs.WorkCompletionStatus.WORK_REQUEST_FLUSHED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sleeping until a completion queue has something. */
class CompletionChannelOnDevice {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final LoopbackPair pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED);
    private final CompletionChannel channel = pair.context.createCompletionChannel();
    private final CompletionQueue queue = pair.context.createCompletionQueue(256, channel, 0);
    private final CompletionQueue other = pair.context.createCompletionQueue(16, channel, 0);
    private final QueuePair sender = queuePair(other);
    private final QueuePair receiver = queuePair(queue);

    CompletionChannelOnDevice() {
        pair.connect(sender, receiver);
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
        queue.close();
        other.close();
        channel.close();
        pair.close();
    }

    @Test
    void anEventNamesItsQueueAndComesOncePerRequest() {
        queue.requestNotification(false);
        send(false);
        assertSame(queue, channel.await(LONG_NS));
        expectReceive();
        send(false);
        assertNull(channel.await(SHORT_NS), "it was not asked for again");
        other.requestNotification(false);
        queue.requestNotification(false);
        expectReceive();
        pair.request().write(3, pair.target.region.remoteAddress(), pair.target.region.rkey())
                .element(pair.initiator.region, 0, 8).signaled();
        assertEquals(1, sender.post(pair.initiator.sends, 0, 1));
        assertSame(other, channel.await(LONG_NS));
    }

    @Test
    @Needs(Need.SOLICITED_EVENTS)
    void solicitedOnlyPassesOverTheOthers() {
        queue.requestNotification(true);
        send(false);
        assertNull(channel.await(SHORT_NS));
        send(true);
        assertSame(queue, channel.await(LONG_NS));
        expectReceive();
        expectReceive();
    }

    /** Of a receive: soft-RoCE forgets to count failed sends, too. */
    @Test
    @Needs(Need.SOLICITED_EVENTS)
    void aFailureCountsAsSolicited() {
        queue.requestNotification(true);
        pair.target.receives.get(0).receive(31).element(pair.target.region, 0, 8);
        assertEquals(1, receiver.post(pair.target.receives, 0, 1));
        receiver.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        assertSame(queue, channel.await(LONG_NS));
        assertEquals(1, queue.poll(pair.initiator.completions));
        assertEquals(WORK_REQUEST_FLUSHED, pair.initiator.completions.status(0));
    }

    @Test
    void wakeEndsAWait() throws Exception {
        CompletableFuture<CompletionQueue> waiting = CompletableFuture.supplyAsync(() -> channel.await(LONG_NS));
        channel.wake();
        assertNull(waiting.get(LONG_NS, TimeUnit.NANOSECONDS));
        channel.wake();
        channel.wake();
        assertNull(channel.await(LONG_NS), "a wake that came before counts");
        assertNull(channel.await(0));
    }

    @Test
    void itsQueuesKeepItOpen() {
        IllegalStateException refused = assertThrows(IllegalStateException.class, channel::close);
        assertTrue(refused.getMessage().contains("still open are [" + queue + ", " + other + "]"),
                refused.getMessage());
        queue.requestNotification(false);
        send(false);
        assertSame(queue, channel.await(LONG_NS), "nothing changed");
    }

    /** ibv_destroy_cq waits for each event that was taken to be acknowledged, and 67 are not a whole batch. */
    @Test
    void eventsThatWereTakenDoNotKeepTheQueueFromClosing() {
        for (int events = 0; events < 67; events++) {
            queue.requestNotification(false);
            send(false);
            assertSame(queue, channel.await(LONG_NS));
            expectReceive();
        }
        sender.close();
        receiver.close();
        queue.close();
        assertFalse(queue.isOpen());
    }

    @Test
    void anEventThatNobodyTookGoesWithItsQueue() {
        queue.requestNotification(false);
        send(false);
        expectReceive();
        sender.close();
        receiver.close();
        queue.close();
        assertNull(channel.await(SHORT_NS));
    }

    private QueuePair queuePair(CompletionQueue completions) {
        return pair.domain.createQueuePair(QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, completions));
    }

    private void send(boolean isSolicited) {
        pair.target.receives.get(0).receive(31).element(pair.target.region, 0, 8);
        assertEquals(1, receiver.post(pair.target.receives, 0, 1));
        SendRequest request = pair.request().send(1).element(pair.initiator.region, 0, 8);
        if (isSolicited) {
            request.solicited();
        }
        request.signaled();
        assertEquals(1, sender.post(pair.initiator.sends, 0, 1));
        await(other);
        assertEquals(1, pair.initiator.completions.workRequestId(0));
    }

    private void expectReceive() {
        await(queue);
        assertEquals(31, pair.initiator.completions.workRequestId(0));
    }

    private void await(CompletionQueue completions) {
        long start = System.nanoTime();
        while (completions.poll(pair.initiator.completions, 1) == 0) {
            assertTrue(System.nanoTime() - start < LONG_NS, "no completion");
            Thread.yield();
        }
        assertEquals(SUCCESS, pair.initiator.completions.status(0));
    }
}
