package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.rdma_core_h;

/** Asynchronous events, and the shared receive queue whose limit brings one. */
class AsyncEventOnDevice {
    private final TestDevice device = new TestDevice();

    @AfterEach
    void close() {
        device.close();
    }

    private AsyncEvent awaitEvent(AsyncEventType type) {
        AsyncEvent[] event = new AsyncEvent[1];
        TestDevice.await(() -> {
            event[0] = device.context.awaitEvent(TimeUnit.MILLISECONDS.toNanos(100));
            return event[0] != null && event[0].type() == type;
        });
        return event[0];
    }

    @Test
    @Needs(Need.SHARED_RECEIVE_QUEUE_QUERY)
    void fewerReceivesThanTheLimitIsAnEventOfTheSharedReceiveQueue() {
        SharedReceiveQueue shared = device.keep(device.domain.createSharedReceiveQueue(16, 1));
        CompletionQueue queue = device.queue();
        QueuePair pair = device.queuePair(QueuePairType.RELIABLE_CONNECTED, queue);
        CompletionQueue sharedQueue = device.queue();
        QueuePair receiver = device.keep(device.domain.createQueuePair(
                TestDevice.options(QueuePairType.RELIABLE_CONNECTED, sharedQueue).withSharedReceiveQueue(shared)));
        device.connect(pair, receiver);
        MemoryRegion region = device.region();
        ReceiveRequests receives = new ReceiveRequests(4, 1);
        for (int i = 0; i < 4; i++) {
            receives.get(i).receive(30 + i).element(region, 1024L * i, 64);
        }
        assertEquals(4, shared.post(receives, 0, 4));
        shared.limit(4);
        assertEquals(4, shared.query().limit());
        SendRequests sends = new SendRequests(2, 1);
        for (int i = 0; i < 2; i++) {
            sends.get(i).send(i).element(region, 8192, 8).signaled();
        }
        assertEquals(2, pair.post(sends, 0, 2));
        device.expect(sharedQueue, 30, SUCCESS);
        AsyncEvent event = awaitEvent(AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT_REACHED);
        assertSame(shared, event.sharedReceiveQueue());
        assertNull(event.queuePair());
        assertEquals(0, shared.query().limit(), "once per call");
    }

    @Test
    void anOverrunCompletionQueueIsAnEventOfIt() {
        CompletionQueue small = device.keep(device.context.createCompletionQueue(1));
        QueuePair pair = device.keep(device.domain.createQueuePair(
                TestDevice.options(QueuePairType.RELIABLE_CONNECTED, small).withDepth(64, 1)));
        QueuePair peer = device.queuePair(QueuePairType.RELIABLE_CONNECTED, device.queue());
        device.connect(pair, peer);
        MemoryRegion region = device.region();
        int count = small.capacity() + 2;
        SendRequests sends = new SendRequests(count, 1);
        for (int i = 0; i < count; i++) {
            sends.get(i).write(i, region.remoteAddress(), region.rkey()).element(region, 0, 8).signaled();
        }
        assertEquals(count, pair.post(sends, 0, count));
        assertSame(small, awaitEvent(AsyncEventType.COMPLETION_QUEUE_ERROR).completionQueue());
    }

    @Test
    @Needs({Need.SHARED_RECEIVE_QUEUE_QUERY, Need.SHARED_RECEIVE_QUEUE_RESIZING})
    void aSharedReceiveQueueIsQueriedAndResized() {
        SharedReceiveQueue shared = device.keep(device.domain.createSharedReceiveQueue(16, 2));
        SharedReceiveQueueAttributes attributes = shared.query();
        assertTrue(attributes.depth() >= 16, attributes.toString());
        assertTrue(attributes.elementCountMax() >= 2, attributes.toString());
        assertEquals(0, attributes.limit());
        shared.resize(100);
        assertTrue(shared.query().depth() >= 100, shared.query().toString());
        MemoryRegion region = device.region();
        ReceiveRequests receives = new ReceiveRequests(100, 2);
        for (int i = 0; i < 100; i++) {
            receives.get(i).receive(i).element(region, 0, 8);
        }
        assertEquals(100, shared.post(receives, 0, 100));
        VerbsException tooMany = assertThrows(VerbsException.class, () -> shared.resize(Integer.MAX_VALUE));
        assertEquals(rdma_core_h.EINVAL(), tooMany.errno());
        assertTrue(tooMany.getMessage().contains("depth=2147483647"), tooMany.getMessage());
        VerbsException limit = assertThrows(VerbsException.class, () -> shared.limit(Integer.MAX_VALUE));
        assertEquals(rdma_core_h.EINVAL(), limit.errno());
    }

    @Test
    void awaitingEndsWhenTimeIsUpAndWhenWoken() throws InterruptedException, ExecutionException, TimeoutException {
        assertNull(device.context.awaitEvent(1));
        device.context.wakeEventWaiter();
        assertNull(device.context.awaitEvent(TestDevice.HANG_NS));
        FutureTask<AsyncEvent> waiter = new FutureTask<>(() -> device.context.awaitEvent(TestDevice.HANG_NS));
        Thread.ofPlatform().daemon().start(waiter);
        device.context.wakeEventWaiter();
        assertNull(waiter.get(TestDevice.HANG_NS, TimeUnit.NANOSECONDS));
    }
}
