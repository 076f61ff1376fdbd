package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongFunction;

import dev.verbena.verbs.abi.ibv_async_event;

/**
 * Something that happened to a device or to an object of it, outside any completion.
 *
 * @param type what happened
 * @param queuePair that it concerns, or null
 * @param completionQueue likewise
 * @param sharedReceiveQueue likewise
 * @param port that it concerns, from 1, or 0
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: ibv_get_async_event(3).
 */
public record AsyncEvent(AsyncEventType type, QueuePair queuePair, CompletionQueue completionQueue,
        SharedReceiveQueue sharedReceiveQueue, int port) {
    /** From a struct ibv_async_event; the function knows the objects by the address of their struct. */
    static AsyncEvent of(MemorySegment event, LongFunction<VerbsObject> objects) {
        AsyncEventType type = AsyncEventType.of(ibv_async_event.event_type(event));
        MemorySegment element = ibv_async_event.element(event);
        if (type.concern() == AsyncEventType.Concern.PORT) {
            return new AsyncEvent(type, null, null, null, element.get(ValueLayout.JAVA_INT, 0));
        }
        if (type.concern() == AsyncEventType.Concern.DEVICE) {
            return new AsyncEvent(type, null, null, null, 0);
        }
        VerbsObject object = objects.apply(element.get(ValueLayout.JAVA_LONG, 0));
        return new AsyncEvent(type, object instanceof QueuePair pair ? pair : null,
                object instanceof CompletionQueue queue ? queue : null,
                object instanceof SharedReceiveQueue queue ? queue : null, 0);
    }
}
