package dev.verbena.transfer.events;

import java.util.List;

import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;

/**
 * Tells Java Flight Recorder of the devices' events as soon as somebody wants to record, as {@code ArenaEvents} of the allocator does, and
 * for the same reason: the first device of a process shall not bring up the recorder.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class TransferEvents implements FlightRecorderListener {
    private static final List<Class<? extends Event>> EVENTS = List.of(TensorSentEvent.class, RegistrationEvent.class,
            ConnectionFailedEvent.class);

    private TransferEvents() {}

    /** To be called once, by whoever will emit them; at once if there is a recorder already. */
    public static void offer() {
        FlightRecorder.addListener(new TransferEvents());
    }

    @Override
    public void recorderInitialized(FlightRecorder recorder) {
        EVENTS.forEach(FlightRecorder::register);
    }
}
