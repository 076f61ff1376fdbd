package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

/** Who wants everybody out and cannot have it leaves everybody in. */
class LockAllTest {
    private static final long PAGES = 1024;

    /** Edge: memory of the Java heap ran out between the first lock and the last, and all threads waited for ever. */
    @Test
    void aHandshakeWithoutMemoryHangsNobody() throws Exception {
        AtomicBoolean fails = new AtomicBoolean();
        ArenaHeap heap = new ArenaHeap(new PageRuns(), PAGES * SizeClasses.PAGE_BYTE_SIZE, () -> {
            if (fails.get()) {
                throw new OutOfMemoryError("Java heap space");
            }
            OwnerLock.handshake();
        });
        heap.add(() -> MemorySegment.ofAddress(1L << 40), PAGES, false);
        long mine = heap.take(100);
        CountDownLatch isThrough = new CountDownLatch(1);
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            long others = executor.submit(() -> heap.take(100)).get();
            fails.set(true);
            assertThrows(OutOfMemoryError.class, heap::isConsistent);
            executor.submit(() -> heap.release(others)).get(1, TimeUnit.MINUTES);
            Thread.ofPlatform().start(() -> {
                heap.release(heap.take(200));
                isThrough.countDown();
            });
            assertTrue(isThrough.await(1, TimeUnit.MINUTES), "a thread that comes for the first time");
            long ofVirtual = executor.submit(() -> {
                long[] address = new long[1];
                Thread.ofVirtual().start(() -> address[0] = heap.take(300)).join();
                return address[0];
            }).get(1, TimeUnit.MINUTES);
            assertNotEquals(0, ofVirtual);
            fails.set(false);
            assertTrue(heap.isConsistent());
            heap.release(ofVirtual);
        }
        heap.release(mine);
        assertEquals(1, heap.closeForGood().size());
    }
}
