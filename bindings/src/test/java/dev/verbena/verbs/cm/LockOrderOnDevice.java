package dev.verbena.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.Thread.State;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.ffi.LibRdmacm;

/** Threads that create and close at the same time do not wait for each other for ever. */
class LockOrderOnDevice {
    private static final int ROUNDS = 50;

    /** Not closed by the test if it fails: closing would wait for the same locks. */
    private final CmPair pair = new CmPair();

    @Test
    void aQueuePairIsCreatedWhileAnotherIsClosed() throws Exception {
        pair.resolve();
        CmId other = resolved();
        QueuePair closing = pair.active.createQueuePair(pair.resources.domain, pair.resources.options());
        Thread closer = Thread.ofPlatform().daemon().unstarted(closing::close);
        CompletableFuture<QueuePair> created = new CompletableFuture<>();
        Thread creator = Thread.ofPlatform().daemon().unstarted(() -> {
            synchronized (LibRdmacm.LOCK) {
                closer.start();
                while (closer.getState() != State.BLOCKED) {
                    Thread.onSpinWait();
                }
                created.complete(other.createQueuePair(pair.resources.domain, pair.resources.options()));
            }
        });
        creator.start();
        await(creator);
        await(closer);
        created.get().close();
        other.close();
        pair.close();
    }

    @Test
    void twoThreadsCreateAndClose() throws Exception {
        pair.resolve();
        CmId other = resolved();
        CyclicBarrier round = new CyclicBarrier(2);
        List<Thread> threads = List.of(creatingAndClosing(pair.active, round), creatingAndClosing(other, round));
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            await(thread);
        }
        other.close();
        pair.close();
    }

    private CmId resolved() {
        CmId id = pair.channel.createId();
        id.resolveAddress(pair.listener.localAddress(), CmPair.HANG_NS);
        pair.expect(CmEventType.ADDRESS_RESOLVED, id);
        return id;
    }

    private Thread creatingAndClosing(CmId id, CyclicBarrier round) {
        return Thread.ofPlatform().daemon().unstarted(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                try {
                    round.await(CmPair.HANG_NS, TimeUnit.NANOSECONDS);
                } catch (Exception alone) {
                    throw new AssertionError(alone);
                }
                id.createQueuePair(pair.resources.domain, pair.resources.options()).close();
            }
        });
    }

    private static void await(Thread thread) throws InterruptedException {
        while (!thread.join(Duration.ofMillis(100))) {
            assertNull(ManagementFactory.getThreadMXBean().findMonitorDeadlockedThreads(),
                    "threads wait for each other");
        }
    }
}
