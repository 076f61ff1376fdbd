package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.sun.management.ThreadMXBean;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** In steady state an all-reduce allocates nothing on the Java heap, at no member and on no thread. */
class GroupGarbageTest {
    private static final int ROUND = 2_000;
    /** Until the compiler has seen everything. */
    private static final int ROUNDS_MAX = 200;
    /** What a recompilation may allocate; the smallest object per all-reduce and member would be 4 times as much. */
    private static final long TOLERANCE = 16_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** In one message to each member, and around the ring. */
    @ParameterizedTest
    @CsvSource({"16, true", "16, false", "4000, true", "4000, false"})
    void anAllReduceAllocatesNothing(long count, boolean byPollers) {
        RdmaDeviceOptions options = RdmaDeviceOptions.defaults()
                .withProgress(byPollers ? Progress.pollers() : Progress.callers());
        try (DeviceRing ring = DeviceRing.joined(2, GroupOptions.defaults(), options)) {
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS_MAX && allocated > TOLERANCE; round++) {
                allocated = allocated(ring, count);
            }
            assertTrue(allocated <= TOLERANCE, allocated + " bytes for " + ROUND + " all-reduces");
        }
    }

    private long allocated(DeviceRing ring, long count) {
        AtomicLong byMembers = new AtomicLong();
        List<Long> pollers = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("member[01]-poller-0")).map(Thread::threadId).toList();
        long before = allocatedBy(pollers);
        ring.all(rank -> {
            Group group = ring.groups.get(rank);
            try (Tensor tensor = ring.arenas.get(rank).allocate(ElementType.FLOAT32, Shape.of(count))) {
                tensor.memory().fill((byte) 0);
                List<Long> own = List.of(Thread.currentThread().threadId());
                long begin = allocatedBy(own);
                for (int i = 0; i < ROUND; i++) {
                    group.allReduce(tensor, Reduction.SUM, DeviceRing.TIMEOUT);
                }
                byMembers.addAndGet(allocatedBy(own) - begin);
            }
        });
        return byMembers.get() + allocatedBy(pollers) - before;
    }

    private long allocatedBy(List<Long> involved) {
        return involved.stream().mapToLong(threads::getThreadAllocatedBytes).sum();
    }
}
