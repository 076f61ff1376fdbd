package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Objects closed under threads that post and poll without pause: those are told, and the process lives. */
class CloseWhilePostingOnDevice {
    private static final int ROUNDS = 300;
    private static final long HANG_S = 60;

    private final LoopbackPair pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED);

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void posters() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            QueuePair queuePair = pair.domain.createQueuePair(
                    QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, pair.initiator.queue));
            pair.toInit(queuePair);
            queuePair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
            SendRequests sends = new SendRequests(4, 1);
            ReceiveRequests receives = receives(4);
            closeUnder(queuePair, List.of(() -> queuePair.post(sends, 0, 4), () -> queuePair.post(receives, 0, 4)));
            drain();
        }
        assertEquals(0, pair.initiator.queue.poll(pair.initiator.completions));
    }

    @Test
    void pollers() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            CompletionQueue queue = pair.context.createCompletionQueue(4);
            WorkCompletions completions = new WorkCompletions(4);
            closeUnder(queue, List.of(() -> queue.poll(completions)));
        }
        assertEquals(0, pair.initiator.queue.poll(pair.initiator.completions));
    }

    @Test
    void postersOfSharedReceiveQueues() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            SharedReceiveQueue shared = pair.domain.createSharedReceiveQueue(4, 1);
            ReceiveRequests receives = receives(2);
            closeUnder(shared, List.of(() -> shared.post(receives, 0, 2)));
            assertEquals(false, shared.isOpen());
        }
    }

    /** Each with an element: soft-iWARP takes no receive without. */
    private ReceiveRequests receives(int count) {
        ReceiveRequests receives = new ReceiveRequests(count, 1);
        for (int i = 0; i < count; i++) {
            receives.get(i).receive(i).element(pair.initiator.region, 0, 8);
        }
        return receives;
    }

    /** Closes the object while each thread repeats its call; all must end with an IllegalStateException. */
    private static void closeUnder(VerbsObject object, List<Runnable> calls) throws Exception {
        CountDownLatch running = new CountDownLatch(calls.size());
        List<CompletableFuture<Void>> threads = calls.stream().map(call -> CompletableFuture.runAsync(() -> {
            call.run();
            running.countDown();
            while (true) {
                call.run();
            }
        }, task -> Thread.ofPlatform().daemon().start(task))).toList();
        assertTrue(running.await(HANG_S, TimeUnit.SECONDS), "no thread came to its call");
        object.close();
        for (CompletableFuture<Void> thread : threads) {
            try {
                thread.get(HANG_S, TimeUnit.SECONDS);
            } catch (ExecutionException ended) {
                assertInstanceOf(IllegalStateException.class, ended.getCause());
                assertEquals(object + " is closed; open or create a new one", ended.getCause().getMessage());
            }
        }
    }

    private void drain() {
        while (pair.initiator.queue.poll(pair.initiator.completions) > 0) {
            assertTrue(pair.initiator.completions.status(0) != WorkCompletionStatus.SUCCESS);
        }
    }
}
