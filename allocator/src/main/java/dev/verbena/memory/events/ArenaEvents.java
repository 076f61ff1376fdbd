package dev.verbena.memory.events;

import java.util.List;

import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;

/**
 * Tells Java Flight Recorder of the arenas' events as soon as somebody wants to record. If they did so themselves, as events do unless
 * told otherwise, the first arena of every process would bring up the whole recorder, which takes 100 ms and more.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class ArenaEvents implements FlightRecorderListener {
    private static final List<Class<? extends Event>> EVENTS = List.of(AllocateEvent.class, FreeEvent.class,
            SlabAcquiredEvent.class, OutOfMemoryEvent.class);

    private ArenaEvents() {}

    /** To be called once, by whoever will emit them; at once if there is a recorder already. */
    public static void offer() {
        FlightRecorder.addListener(new ArenaEvents());
    }

    @Override
    public void recorderInitialized(FlightRecorder recorder) {
        EVENTS.forEach(FlightRecorder::register);
    }
}
