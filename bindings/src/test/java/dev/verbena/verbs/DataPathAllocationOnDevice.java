package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.management.ManagementFactory;
import java.util.EnumSet;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import com.sun.management.ThreadMXBean;

/** The extended ways to post and poll put nothing on the Java heap. */
@Needs(Need.EXTENDED_COMPLETION_QUEUES)
class DataPathAllocationOnDevice {
    private static final int ATTEMPTS = 10;
    private static final int ROUNDS = 1000;

    private final TestDevice device = new TestDevice();
    private final ExtendedCompletionQueue queue = device.keep(
            device.context.createExtendedCompletionQueue(64, EnumSet.of(CompletionField.BYTE_SIZE)));
    private final MemoryRegion region = device.region();
    private long outcomes;

    @AfterEach
    void close() {
        device.close();
    }

    /** Bytes that this thread allocates in so many rounds, in the best of a few attempts: while the compiler works, interpreted code allocates. */
    private long allocated(Runnable round) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        int attempts = 0;
        for (; attempts < ATTEMPTS && least > 0; attempts++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < ROUNDS; i++) {
                round.run();
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(attempts * ROUNDS, outcomes);
        return least;
    }

    private void pollOne() {
        long start = System.nanoTime();
        while (!queue.startPoll()) {
            if (System.nanoTime() - start > TestDevice.HANG_NS) {
                throw new AssertionError("no completion");
            }
        }
        outcomes += queue.status() == WorkCompletionStatus.SUCCESS ? 1 : 0;
        queue.endPoll();
    }

    @Test
    @Needs({Need.EXTENDED_QUEUE_PAIRS, Need.MEMORY_WINDOWS_OF_TYPE_2})
    void batchesAndTheExtendedPoll() {
        ExtendedQueuePair pair = device.keep(device.domain.createExtendedQueuePair(
                TestDevice.options(QueuePairType.RELIABLE_CONNECTED, queue), EnumSet.allOf(SendOperation.class)));
        QueuePair peer = device.queuePair(QueuePairType.RELIABLE_CONNECTED, device.queue());
        device.connect(pair, peer);
        MemoryWindow window = device.keep(device.domain.allocateMemoryWindow(MemoryWindowType.TYPE_2));
        EnumSet<AccessFlag> access = EnumSet.of(AccessFlag.REMOTE_READ);
        assertEquals(0, allocated(() -> {
            pair.begin();
            pair.next().write(1, region.remoteAddress(), region.rkey()).element(region, 64, 8);
            pair.next().bind(2, window, region, 0, 64, access);
            pair.complete();
            pair.begin();
            pair.next().invalidate(3, window.rkey()).signaled();
            pair.complete();
            pollOne();
        }));
    }

    @Test
    @Needs(Need.UNRELIABLE_DATAGRAMS)
    void datagrams() {
        QueuePair pair = device.queuePair(QueuePairType.UNRELIABLE_DATAGRAM, queue);
        device.toReadyToSend(pair);
        AddressHandle handle = device.keep(device.domain.createAddressHandle(device.path()));
        SendRequests sends = new SendRequests(1, 1);
        assertEquals(0, allocated(() -> {
            sends.get(0).send(1).element(region, 0, 8).to(handle, pair.number(), TestDevice.QUEUE_KEY).signaled();
            pair.post(sends, 0, 1);
            pollOne();
        }));
    }

    /** The classic ways, with the elements that a table of empty functions cannot have. */
    @Test
    @Needs(Need.SHARED_RECEIVE_QUEUES)
    void elementsAndSharedReceives() {
        CompletionQueue classic = device.queue();
        SharedReceiveQueue shared = device.keep(device.domain.createSharedReceiveQueue(4, 1));
        QueuePair pair = device.queuePair(QueuePairType.RELIABLE_CONNECTED, classic);
        QueuePair peer = device.keep(device.domain.createQueuePair(
                TestDevice.options(QueuePairType.RELIABLE_CONNECTED, queue).withSharedReceiveQueue(shared)));
        device.connect(pair, peer);
        SendRequests sends = new SendRequests(2, 1);
        ReceiveRequests receives = new ReceiveRequests(1, 1);
        WorkCompletions completions = new WorkCompletions(2);
        assertEquals(0, allocated(() -> {
            receives.get(0).receive(1).element(region, 0, 64);
            shared.post(receives, 0, 1);
            sends.get(0).send(2).element(region, 64, 8);
            sends.get(1).read(3, region.remoteAddress(), region.rkey()).element(region, 128, 8).signaled();
            pair.post(sends, 0, 2);
            long start = System.nanoTime();
            while (classic.poll(completions) == 0) {
                if (System.nanoTime() - start > TestDevice.HANG_NS) {
                    throw new AssertionError("no completion");
                }
            }
            pollOne();
        }));
    }
}
