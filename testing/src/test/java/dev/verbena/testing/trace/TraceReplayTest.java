package dev.verbena.testing.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Order, threads, and what is left when an allocator refuses. */
@Timeout(60)
class TraceReplayTest {
    private static final Trace HANDED_OVER = handedOver();

    /** Thread and event of each call. */
    private static final class Log implements ReplayTarget {
        final List<String> calls = Collections.synchronizedList(new ArrayList<>());
        final Map<Integer, Boolean> live = new ConcurrentHashMap<>();
        final RuntimeException refusal = new IllegalStateException("no more");
        final int refusedId;

        Log(int refusedId) {
            this.refusedId = refusedId;
        }

        @Override
        public void allocate(int id, long byteSize) {
            if (id == refusedId) {
                throw refusal;
            }
            calls.add("a" + id + "@" + thread());
            live.put(id, true);
        }

        @Override
        public void free(int id) {
            calls.add("f" + id + "@" + thread());
            assertTrue(live.remove(id), "live when freed");
        }

        private static String thread() {
            String name = Thread.currentThread().getName();
            return name.startsWith("trace-replay-") ? name.substring("trace-replay-".length()) : "0";
        }
    }

    @Test
    void inOrderIsTheRecordedOrderOnTheRecordedThreads() {
        Log log = new Log(-1);
        TraceReplay.inOrder(HANDED_OVER, log);
        List<String> expected = new ArrayList<>();
        for (TraceEvent event : HANDED_OVER.events()) {
            switch (event) {
                case TraceEvent.Allocate(int id, long _, int thread) -> expected.add("a" + id + "@" + thread);
                case TraceEvent.Free(int id, int thread) -> expected.add("f" + id + "@" + thread);
                case TraceEvent.Mark _ -> {
                }
            }
        }
        assertEquals(expected, log.calls);
    }

    @Test
    void inOrderNoThreadEndsBeforeTheLastEvent() {
        TraceBuilder trace = new TraceBuilder();
        trace.onThread(1);
        int id = trace.allocate(1);
        trace.onThread(0);
        trace.free(id);
        AtomicReference<Thread> first = new AtomicReference<>();
        AtomicReference<Thread> lasting = new AtomicReference<>();
        TraceReplay.inOrder(trace.build(), new ReplayTarget() {
            @Override
            public void allocate(int id, long byteSize) {
                first.set(Thread.currentThread());
            }

            @Override
            public void free(int id) {
                try {
                    lasting.set(first.get().join(Duration.ofMillis(100)) ? null : first.get());
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        });
        assertSame(first.get(), lasting.get());
        assertFalse(first.get().isAlive());
    }

    @Test
    void concurrentlyEachFreeFollowsItsAllocation() {
        for (int round = 0; round < 50; round++) {
            Log log = new Log(-1);
            TraceReplay.concurrently(HANDED_OVER, log);
            assertEquals(2 * HANDED_OVER.allocationCount(), log.calls.size());
            assertEquals(Map.of(), log.live);
        }
    }

    /** Thread 0 only allocates: without the marks it would be through before the first free. */
    @Test
    void nobodyRunsAheadByMoreThanAnIteration() {
        TraceBuilder trace = new TraceBuilder();
        for (int i = 0; i < 200; i++) {
            trace.mark();
            trace.onThread(0);
            int id = trace.allocate(1);
            trace.onThread(1);
            trace.free(id);
        }
        AtomicInteger live = new AtomicInteger();
        AtomicInteger peak = new AtomicInteger();
        TraceReplay.concurrently(trace.build(), new ReplayTarget() {
            @Override
            public void allocate(int id, long byteSize) {
                peak.accumulateAndGet(live.incrementAndGet(), Math::max);
            }

            @Override
            public void free(int id) {
                Thread.yield();
                live.decrementAndGet();
            }
        });
        assertEquals(1, peak.get());
    }

    @Test
    void aRefusalEndsTheReplayAndLeavesNothing() {
        for (int refused : new int[]{0, 7, HANDED_OVER.allocationCount() - 1}) {
            Log log = new Log(refused);
            assertSame(log.refusal, assertThrows(IllegalStateException.class,
                    () -> TraceReplay.inOrder(HANDED_OVER, log)));
            assertEquals(Map.of(), log.live);
            Log another = new Log(refused);
            assertSame(another.refusal, assertThrows(IllegalStateException.class,
                    () -> TraceReplay.concurrently(HANDED_OVER, another)));
            assertEquals(Map.of(), another.live);
        }
    }

    /** Three threads; each frees what the one before allocated. */
    private static Trace handedOver() {
        TraceBuilder trace = new TraceBuilder();
        for (int i = 0; i < 100; i++) {
            trace.onThread(i % 3);
            int id = trace.allocate(i);
            trace.onThread((i + 1) % 3);
            trace.free(id);
            trace.mark();
        }
        return trace.build();
    }
}
