package dev.verbena.transfer.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.Progress;
import dev.verbena.transfer.spi.Edge;

/** One thread at a time drives, any thread; and no command is left lying. */
class EngineTest {
    private static final long FOREVER_NS = TimeUnit.HOURS.toNanos(1);

    private final FakeCompletionQueue queue = new FakeCompletionQueue();
    private final Engines engines = engines(Progress.callers());
    private final Engine engine = engines.all().getFirst();

    private Engines engines(Progress progress) {
        return new Engines("device", List.of(queue), progress, Edge.ofMachine(), true);
    }

    @Test
    void whoFindsItFreeDrivesItAndPolls() {
        AtomicReference<Thread> ran = new AtomicReference<>();
        engine.execute(() -> {
            assertTrue(engine.isDriving());
            ran.set(Thread.currentThread());
        });
        assertSame(Thread.currentThread(), ran.get());
        assertEquals(1, queue.polls.get());
        assertFalse(engine.isDriving());
    }

    @Test
    void aCommandOfACommandRunsAtOnce() {
        List<String> order = new ArrayList<>();
        engine.execute(() -> {
            order.add("outer begins");
            engine.execute(() -> order.add("inner"));
            order.add("outer ends");
        });
        assertEquals(List.of("outer begins", "inner", "outer ends"), order);
    }

    @Test
    void whatWasLeftRunsFirst() {
        List<String> order = new ArrayList<>();
        engine.enqueue(() -> order.add("left"));
        assertEquals(List.of(), order);
        engine.execute(() -> order.add("now"));
        assertEquals(List.of("left", "now"), order);
    }

    @Test
    void whatIsPostponedRunsBehindWhatComesNext() {
        List<String> order = new ArrayList<>();
        engine.postpone(() -> order.add("postponed"));
        assertEquals(List.of(), order);
        assertTrue(engine.hasCommands());
        engine.execute(() -> order.add("now"));
        assertEquals(List.of("now", "postponed"), order);
        engine.postpone(() -> order.add("postponed again"));
        engine.progress();
        assertEquals(List.of("now", "postponed", "postponed again"), order);
        assertFalse(engine.hasCommands());
    }

    @Test
    void wherePollersDriveNothingIsPostponed() {
        AtomicInteger ran = new AtomicInteger();
        engines(Progress.pollers()).all().getFirst().postpone(ran::incrementAndGet);
        assertEquals(1, ran.get());
    }

    @Test
    void whoFindsItBusyLeavesItsCommandToWhoDrives() throws InterruptedException {
        CountDownLatch isDriving = new CountDownLatch(1);
        CountDownLatch isLeft = new CountDownLatch(1);
        AtomicReference<Thread> ran = new AtomicReference<>();
        Thread driver = Thread.ofPlatform().start(() -> engine.execute(() -> {
            isDriving.countDown();
            await(isLeft);
        }));
        await(isDriving);
        engine.execute(() -> ran.set(Thread.currentThread()));
        assertEquals(null, ran.get());
        isLeft.countDown();
        driver.join();
        assertSame(driver, ran.get());
    }

    @Test
    void aCommandThatFailsStopsNobodyElse() {
        AtomicInteger ran = new AtomicInteger();
        engine.enqueue(() -> {
            throw new AssertionError("on purpose");
        });
        engine.enqueue(ran::incrementAndGet);
        engine.progress();
        assertEquals(1, ran.get());
        assertFalse(engine.isDriving());
    }

    /** Counted by a plain variable: two that drive at once would lose some. */
    @Test
    void manyThreadsLoseNothing() throws InterruptedException {
        int each = 100_000;
        int[] count = {0};
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int n = 0; n < each; n++) {
                    engine.execute(() -> count[0]++);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertFalse(engine.hasCommands());
        engine.execute(() -> assertTrue(engine.isDriving()));
        assertEquals(4 * each, count[0]);
    }

    /** The queue of commands is bounded; who fills it makes room by driving. */
    @Test
    void moreCommandsThanTheQueueHolds() {
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 10_000; i++) {
            engine.enqueue(ran::incrementAndGet);
        }
        engine.progress();
        assertEquals(10_000, ran.get());
    }

    /** One sleeps on the completion queue, which takes no more, the others wait for it. */
    @Test
    void severalThatWaitWakeByOneCommand() throws InterruptedException {
        AtomicInteger met = new AtomicInteger();
        CountDownLatch isSet = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                if (engines.await(() -> isSet.getCount() == 0, FOREVER_NS)) {
                    met.incrementAndGet();
                }
            }));
        }
        while (queue.sleepers.get() == 0) {
            Thread.onSpinWait();
        }
        engine.enqueue(() -> {
            isSet.countDown();
            engine.announce();
        });
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(4, met.get());
    }

    /** What one finds, another may have waited for, who sleeps. */
    @Test
    void whoSleepsHearsOfWhatOthersFind() throws InterruptedException {
        AtomicInteger found = new AtomicInteger();
        Thread waiting = Thread.ofPlatform().start(() -> engines.await(() -> found.get() == 1, FOREVER_NS));
        while (queue.sleepers.get() == 0) {
            Thread.onSpinWait();
        }
        found.set(1);
        engines.announce();
        waiting.join();
        assertFalse(engine.hasCommands());
    }

    @Test
    void whoDrivesDoesNotWait() {
        engine.execute(() -> assertFalse(engines.await(() -> false, FOREVER_NS)));
        assertFalse(engines.await(() -> false, 1));
    }

    @Test
    void whoIsInterruptedWaitsNoLongerUnlessItMust() {
        Thread.currentThread().interrupt();
        assertFalse(engines.await(() -> false, FOREVER_NS));
        CountDownLatch isMet = new CountDownLatch(1);
        Thread.ofVirtual().start(() -> {
            isMet.countDown();
            engines.announce();
        });
        assertTrue(engines.awaitUninterruptibly(() -> isMet.getCount() == 0, FOREVER_NS));
        assertTrue(Thread.interrupted());
    }

    @Test
    void aPollerRunsWhatIsLeftToIt() throws InterruptedException {
        Engines polled = engines(Progress.pollers());
        polled.start();
        CountDownLatch ran = new CountDownLatch(2);
        AtomicReference<String> name = new AtomicReference<>();
        polled.all().getFirst().enqueue(() -> {
            name.set(Thread.currentThread().getName());
            ran.countDown();
        });
        while (queue.sleepers.get() == 0) {
            Thread.onSpinWait();
        }
        polled.all().getFirst().enqueue(ran::countDown);
        await(ran);
        assertEquals("device-poller-0", name.get());
        polled.close();
        AtomicInteger late = new AtomicInteger();
        int polls = queue.polls.get();
        polled.all().getFirst().execute(late::incrementAndGet);
        assertEquals(1, late.get());
        assertEquals(polls, queue.polls.get());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
