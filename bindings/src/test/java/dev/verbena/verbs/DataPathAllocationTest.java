package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.function.IntSupplier;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import com.sun.management.ThreadMXBean;
import dev.verbena.verbs.ffi.Availability;

/** Filling in, posting, polling and reading take nothing from the Java heap. */
class DataPathAllocationTest {
    private static final int WARM_UP = 40_000;
    private static final int MEASURED = 20_000;
    private static final int ATTEMPTS = 20;
    private static final int LIST = 8;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private DoNothingDevice device;

    @BeforeEach
    void needsTheLibrary() {
        assumeTrue(Availability.problem() == null, Availability::problem);
        device = DoNothingDevice.ofLibC();
    }

    @Test
    void sends() {
        SendRequests sends = new SendRequests(LIST, 1, 16);
        WorkCompletions completions = new WorkCompletions(LIST);
        assertEquals(0, allocatedBytes(() -> {
            for (int i = 0; i < LIST; i++) {
                sends.get(i).write(i, 4096L * i, i).signaled();
            }
            return device.queuePair.post(sends, 0, LIST) + device.queue.poll(completions)
                    + (completions.status(0) == WorkCompletionStatus.SUCCESS ? 1 : 0)
                    + (int) completions.workRequestId(1) + completions.byteSize(2);
        }));
    }

    /** But those that name other objects, of which a device is needed: DataPathAllocationOnDevice. */
    @Test
    void eachKindOfSend() {
        SendRequests sends = new SendRequests(LIST, 1, 16);
        WorkCompletions completions = new WorkCompletions(LIST);
        MemorySegment data = Arena.ofAuto().allocate(16);
        assertEquals(0, allocatedBytes(() -> {
            sends.get(0).writeWithImmediate(0, 4096, 1, 2).inline(data);
            sends.get(1).read(1, 4096, 1).fenced();
            sends.get(2).send(2).inline(data, 0, 8).inline(data, 8, 8);
            sends.get(3).sendWithImmediate(3, 2).solicited();
            sends.get(4).compareAndSwap(4, 4096, 1, 2, 3);
            sends.get(5).fetchAndAdd(5, 4096, 1, 2);
            sends.get(6).sendWithInvalidate(6, 1);
            sends.get(7).invalidate(7, 1).signaled();
            return device.queuePair.post(sends, 0, LIST) + device.queue.poll(completions, 1);
        }));
    }

    @Test
    void receives() {
        ReceiveRequests receives = new ReceiveRequests(LIST, 1);
        WorkCompletions completions = new WorkCompletions(LIST);
        assertEquals(0, allocatedBytes(() -> {
            for (int i = 0; i < LIST; i++) {
                receives.get(i).receive(i);
            }
            return device.queuePair.post(receives, 0, LIST) + device.queue.poll(completions)
                    + (completions.opcode(0) == WorkCompletionOpcode.SEND ? 1 : 0);
        }));
    }

    @Test
    void whatAllocatesIsSeen() {
        long allocated = allocatedBytes(() -> new int[4].clone().length + device.queuePair.post(new SendRequests(1, 1),
                0, 1));
        assertTrue(allocated >= MEASURED * 8L, "allocated=" + allocated);
    }

    /** Of the best of a few attempts: while the compiler works, interpreted code allocates. */
    static long allocatedBytes(IntSupplier operation) {
        long least = Long.MAX_VALUE;
        long sum = repeat(operation, WARM_UP);
        for (int i = 0; i < ATTEMPTS && least > 0; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            sum += repeat(operation, MEASURED);
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertTrue(sum > 0, "every post succeeded");
        return least;
    }

    private static long repeat(IntSupplier operation, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += operation.getAsInt();
        }
        return sum;
    }
}
