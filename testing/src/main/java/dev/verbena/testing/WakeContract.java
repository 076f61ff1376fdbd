package dev.verbena.testing;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * Sleeping on a completion queue. A wake-up that is missed shows as a test that hangs: every sleep here is longer than the guard.
 */
interface WakeContract extends FabricFixture {
    long FOREVER_NS = TimeUnit.HOURS.toNanos(1);
    Duration GUARD = Duration.ofSeconds(20);
    VarHandle WORD = JAVA_LONG.varHandle();

    @Test
    default void aSignalBeforehandEndsTheNextAwaitOnly() {
        FabricPair pair = connect();
        pair.settle();
        pair.initiator.queue.await(1);
        pair.initiator.queue.signal();
        pair.initiator.queue.signal();
        pair.initiator.poll(8);
        assertTimeoutPreemptively(GUARD, () -> pair.initiator.queue.await(FOREVER_NS));
    }

    @Test
    default void theTimeoutEndsAnAwait() {
        FabricPair pair = connect();
        assertTimeoutPreemptively(GUARD, () -> {
            pair.initiator.queue.await(0);
            pair.initiator.queue.await(-1);
            pair.initiator.queue.await(1_000_000);
        });
    }

    @Test
    default void anAwaitReallySleeps() {
        FabricPair pair = connect();
        pair.settle();
        pair.initiator.queue.await(1);
        long startNs = System.nanoTime();
        int awaits = 0;
        while (System.nanoTime() - startNs < 200_000_000) {
            pair.initiator.queue.await(50_000_000);
            pair.initiator.poll(1);
            awaits++;
        }
        // A few for no reason are allowed; one that never sleeps comes to hundreds of thousands.
        assertTrue(awaits < 1000, "awaits=" + awaits);
    }

    @Test
    default void aSignalFromAnotherThreadEndsAnAwait() {
        FabricPair pair = connect();
        assertTimeoutPreemptively(GUARD, () -> {
            for (int i = 0; i < 300; i++) {
                Thread thread = Thread.ofPlatform().start(pair.initiator.queue::signal);
                pair.initiator.queue.await(FOREVER_NS);
                thread.join();
                // If the await ended for no reason before the signal, this takes the signal away.
                pair.initiator.queue.await(0);
            }
        });
    }

    @Test
    default void aCompletionThatWaitsEndsAnAwait() {
        FabricPair pair = connect();
        WorkRequest write = pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, 0);
        write.next = pair.initiator.request(2, Opcode.WRITE, 0, 8, pair.target, 0);
        assertEquals(2, pair.initiator.queuePair().post(write));
        assertTimeoutPreemptively(GUARD,
                () -> awaitUntil(pair.initiator, 1, () -> pair.initiator.completions.size() == 2));
    }

    /** Whatever the network's options say of all queues. */
    @Test
    default void aCompletionEndsAnAwaitHoweverTheQueueIsToIdle() {
        FabricPair pair = connect();
        for (CompletionMode idle : CompletionMode.values()) {
            CompletionQueue queue = pair.initiator.fabric.createCompletionQueue(16, idle);
            Connection connection = pair.initiator.fabric.connect(pair.target.endpoint,
                    List.of(new QueuePairOptions(queue, 8, 8, GUARD.toNanos())), GUARD.toNanos());
            WorkRequest write = pair.initiator.request(7, Opcode.WRITE, 0, 8, pair.target, 0);
            assertEquals(1, connection.queuePairs().getFirst().post(write));
            List<Long> done = new ArrayList<>();
            assertTimeoutPreemptively(GUARD, () -> {
                while (queue.poll(completion -> done.add(completion.workRequestId), 1) == 0) {
                    queue.await(FOREVER_NS);
                }
            });
            assertEquals(List.of(7L), done, () -> idle.name());
        }
    }

    static void awaitUntil(FabricSide side, int countMax, BooleanSupplier condition) {
        side.poll(countMax);
        while (!condition.getAsBoolean()) {
            side.queue.await(FOREVER_NS);
            side.poll(countMax);
        }
    }

    @Test
    default void messagesWakeBothSides() {
        FabricPair pair = connect();
        assertTimeoutPreemptively(GUARD, () -> {
            Thread echo = Thread.ofPlatform().start(() -> pingPong(pair.target, 300, false));
            pingPong(pair.initiator, 300, true);
            echo.join();
        });
    }

    private static void pingPong(FabricSide side, int rounds, boolean begins) {
        int receives = 0;
        side.postReceive(1, 1024, 64);
        WorkRequest send = side.send(2, 0, 8);
        send.signaled = false;
        if (begins) {
            side.queuePair().post(send);
        }
        while (receives < rounds) {
            awaitUntil(side, 8, () -> !side.completions.isEmpty());
            side.completions.remove();
            receives++;
            side.postReceive(1, 1024, 64);
            if (!begins || receives < rounds) {
                assertEquals(1, side.queuePair().post(send));
            }
        }
    }

    @Test
    default void aPostedReceiveWakesASenderThatWaitsForIt() {
        FabricPair pair = connect();
        assertTimeoutPreemptively(GUARD, () -> {
            for (int i = 0; i < 100; i++) {
                assertEquals(1, pair.initiator.queuePair().post(pair.initiator.send(i, 0, 8)));
                Thread thread = Thread.ofPlatform().start(() -> pair.target.postReceive(31, 0, 8));
                awaitUntil(pair.initiator, 8, () -> !pair.initiator.completions.isEmpty());
                pair.initiator.completions.clear();
                thread.join();
                awaitUntil(pair.target, 8, () -> !pair.target.completions.isEmpty());
                pair.target.completions.clear();
            }
        });
    }

    @Test
    default void theReceiverNotReadyTimeoutEndsAnAwait() {
        FabricPair pair = connect(FabricPair.Options.DEFAULT.withReceiverNotReadyTimeoutNs(2_000_000));
        assertTimeoutPreemptively(GUARD, () -> {
            assertEquals(1, pair.initiator.queuePair().post(pair.initiator.send(1, 0, 8)));
            awaitUntil(pair.initiator, 8, () -> !pair.initiator.completions.isEmpty());
        });
        assertFalse(pair.initiator.completions.isEmpty());
    }

    @Test
    default void aPlainWriteWakesTheTarget() {
        FabricPair pair = connect();
        assumeTrue(pair.target.fabric.capabilities().wakesOnWrite(), "this fabric cannot tell that it was written to");
        assertTimeoutPreemptively(GUARD, () -> {
            Thread echo = Thread.ofPlatform().start(() -> flagPingPong(pair.target, pair.initiator, 500, false));
            flagPingPong(pair.initiator, pair.target, 500, true);
            echo.join();
        });
        assertEquals(500, (long) WORD.getAcquire(pair.initiator.region.memory(), 64L));
    }

    /** Writes a rising number into the other's memory and sleeps until it comes back. */
    private static void flagPingPong(FabricSide side, FabricSide other, int rounds, boolean begins) {
        WorkRequest write = side.request(1, Opcode.WRITE, 0, 8, other, 64);
        write.signaled = false;
        for (long round = 1; round <= rounds; round++) {
            long expected = round;
            if (begins) {
                side.region.memory().set(JAVA_LONG, 0, round);
                assertEquals(1, side.queuePair().post(write));
            }
            awaitUntil(side, 8, () -> (long) WORD.getAcquire(side.region.memory(), 64L) == expected);
            if (!begins) {
                side.region.memory().set(JAVA_LONG, 0, round);
                assertEquals(1, side.queuePair().post(write));
            }
        }
    }

    @Test
    default void aPollNoticesThatThePeerDidSomething() {
        FabricPair pair = connect();
        pair.settle();
        long before = pair.target.queue.remoteEffects();
        pair.settle();
        assertEquals(before, pair.target.queue.remoteEffects(), "nothing happened");
        pair.run(pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, 0), CompletionStatus.SUCCESS);
        pair.settle();
        boolean hasChanged = pair.target.queue.remoteEffects() != before;
        assertEquals(pair.target.fabric.capabilities().wakesOnWrite(), hasChanged);
    }

    @Test
    default void aQueueThatHasCompletionsInEachPollNoticesThePeerToo() {
        FabricPair pair = connect();
        assumeTrue(pair.target.fabric.capabilities().wakesOnWrite(), "this fabric cannot tell that it was written to");
        pair.settle();
        assertEquals(1, pair.initiator.queuePair()
                .post(pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, 0)));
        FabricPair.await("it is written", () -> !pair.initiator.completions.isEmpty(), () -> pair.initiator.poll(64));
        long before = pair.target.queue.remoteEffects();
        for (int i = 0; i < 100 && pair.target.queue.remoteEffects() == before; i++) {
            assertEquals(1, pair.target.queuePair()
                    .post(pair.target.request(i, Opcode.WRITE, 0, 8, pair.initiator, 8)));
            FabricPair.await("it has a completion", () -> !pair.target.completions.isEmpty(),
                    () -> pair.target.poll(64));
            pair.target.completions.clear();
        }
        assertNotEquals(before, pair.target.queue.remoteEffects());
    }

    @Test
    default void theLossOfThePeerEndsAnAwait() {
        FabricPair pair = connect();
        assertTimeoutPreemptively(GUARD, () -> {
            pair.target.postReceive(31, 0, 8);
            Thread thread = Thread.ofPlatform().start(() -> pair.initiator.connection.abort("gone"));
            awaitUntil(pair.target, 8, () -> !pair.target.completions.isEmpty());
            thread.join();
        });
        assertFalse(pair.target.completions.isEmpty());
    }
}
