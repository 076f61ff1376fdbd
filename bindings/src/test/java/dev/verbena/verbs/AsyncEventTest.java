package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.ibv_async_event;
import dev.verbena.verbs.abi.rdma_core_h;

/** From the struct as the kernel fills it in; events that a device can be brought to are in AsyncEventOnDevice. */
class AsyncEventTest {
    private static AsyncEvent event(int type, long element) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = ibv_async_event.allocate(arena);
            ibv_async_event.event_type(event, type);
            ibv_async_event.element(event).set(ValueLayout.JAVA_LONG, 0, element);
            return AsyncEvent.of(event, address -> null);
        }
    }

    @Test
    void eventsOfAPortNameIt() {
        // Only four of the union's eight bytes are the port.
        assertEquals(new AsyncEvent(AsyncEventType.PORT_ERROR, null, null, null, 2),
                event(rdma_core_h.IBV_EVENT_PORT_ERR(), 0x7fff_0000_0000_0002L));
        assertEquals(1, event(rdma_core_h.IBV_EVENT_GID_CHANGE(), 1).port());
    }

    @Test
    void eventsOfTheDeviceNameNothing() {
        assertEquals(new AsyncEvent(AsyncEventType.DEVICE_FATAL, null, null, null, 0),
                event(rdma_core_h.IBV_EVENT_DEVICE_FATAL(), 5));
        assertEquals(AsyncEventType.UNKNOWN, event(99, 5).type(), "of a later kernel");
    }
}
