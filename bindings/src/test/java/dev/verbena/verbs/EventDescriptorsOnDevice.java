package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import dev.verbena.verbs.cm.CmEvent;
import dev.verbena.verbs.cm.CmEventChannel;
import dev.verbena.verbs.cm.CmEventType;
import dev.verbena.verbs.cm.CmPair;
import dev.verbena.verbs.ffi.LibC;

/** An event loop learns by a descriptor that there are events, and takes them without waiting. */
class EventDescriptorsOnDevice {
    private final TestDevice device = new TestDevice();
    private final Arena arena = Arena.ofConfined();
    private final int idle = LibC.eventfd();

    @AfterEach
    void close() {
        LibC.close(idle);
        arena.close();
        device.close();
    }

    /** Brings about an event; the descriptor is readable until it is taken. */
    private <T> T onlyEvent(int descriptor, Runnable cause, Supplier<T> take) {
        MemorySegment descriptors = LibC.readable(arena, descriptor, idle);
        assertEquals(0, LibC.poll(descriptors, 0), "readable before");
        assertNull(take.get());
        cause.run();
        assertEquals(1, LibC.poll(descriptors, TestDevice.HANG_NS));
        T event = take.get();
        assertNotNull(event);
        assertNull(take.get());
        assertEquals(0, LibC.poll(descriptors, 0), "readable after");
        return event;
    }

    @Test
    void completionsComeByTheChannels() {
        CompletionChannel channel = device.keep(device.context.createCompletionChannel());
        CompletionQueue queue = device.keep(device.context.createCompletionQueue(16, channel, 0));
        QueuePair pair = device.queuePair(QueuePairType.RELIABLE_CONNECTED, queue);
        device.connect(pair, device.queuePair(QueuePairType.RELIABLE_CONNECTED, device.queue()));
        MemoryRegion region = device.region();
        SendRequests sends = new SendRequests(1, 1);
        sends.get(0).write(1, region.remoteAddress(), region.rkey()).element(region, 0, 8).signaled();
        queue.requestNotification(false);
        assertSame(queue, onlyEvent(channel.fileDescriptor(), () -> assertEquals(1, pair.post(sends, 0, 1)),
                () -> channel.await(0)));
        device.expect(queue, 1, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void connectionsComeByTheirs() {
        try (CmPair pair = new CmPair()) {
            CmEvent resolved = onlyEvent(pair.channel.fileDescriptor(),
                    () -> pair.active.resolveAddress(pair.listener.localAddress(), TestDevice.HANG_NS),
                    () -> pair.channel.await(0));
            assertEquals(CmEventType.ADDRESS_RESOLVED, resolved.type());
        }
    }

    @Test
    @Needs(Need.SOFT_ROCE)
    void whatHappensToTheDeviceComesByTheContexts() {
        CompletionQueue small = device.keep(device.context.createCompletionQueue(1));
        QueuePair pair = device.keep(device.domain.createQueuePair(
                TestDevice.options(QueuePairType.RELIABLE_CONNECTED, small).withDepth(64, 1)));
        device.connect(pair, device.queuePair(QueuePairType.RELIABLE_CONNECTED, device.queue()));
        MemoryRegion region = device.region();
        int count = small.capacity() + 1;
        SendRequests sends = new SendRequests(count, 1);
        for (int i = 0; i < count; i++) {
            sends.get(i).write(i, region.remoteAddress(), region.rkey()).element(region, 0, 8).signaled();
        }
        AsyncEvent event = onlyEvent(device.context.eventFileDescriptor(),
                () -> assertEquals(count, pair.post(sends, 0, count)), () -> device.context.awaitEvent(0));
        assertSame(small, event.completionQueue());
    }

    @Test
    void whatIsClosedHasNone() {
        CompletionChannel channel = device.context.createCompletionChannel();
        channel.close();
        assertThrows(IllegalStateException.class, channel::fileDescriptor);
        CmEventChannel connections = CmEventChannel.create();
        connections.close();
        assertThrows(IllegalStateException.class, connections::fileDescriptor);
    }
}
