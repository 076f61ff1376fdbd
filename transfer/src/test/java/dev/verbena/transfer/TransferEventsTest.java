package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** What Java Flight Recorder gets to see of transfers, and that it sees nothing unless asked. */
class TransferEventsTest {
    private static final String PREFIX = "dev.verbena.";

    @TempDir
    private Path folder;

    @Test
    void nothingIsRecordedByDefault() throws IOException {
        try (Recording recording = new Recording()) {
            recording.start();
            everything();
            assertEquals(List.of(), stop(recording));
        }
    }

    @Test
    void tensorsRegistrationsAndFailuresAreRecorded() throws IOException {
        try (Recording recording = new Recording()) {
            for (String name : List.of("TensorSent", "Registration", "ConnectionFailed")) {
                recording.enable(PREFIX + name);
            }
            recording.start();
            everything();
            List<RecordedEvent> events = stop(recording);
            List<RecordedEvent> sent = named(events, "TensorSent");
            assertEquals(2, sent.size(), sent::toString);
            assertEquals(List.of("fixed", "any"), sent.stream().map(event -> event.getString("name")).toList());
            for (RecordedEvent event : sent) {
                assertEquals("receiver", event.getString("peer"));
                assertEquals(64, event.getLong("byteSize"));
                assertNull(event.getString("failure"));
                assertTrue(event.getDuration().isPositive(), event::toString);
            }
            assertTrue(
                    named(events, "Registration").stream().anyMatch(event -> event.getString("device").equals("sender")
                            && event.getLong("byteSize") >= 1 << 20 && !event.getBoolean("isImported")),
                    events::toString);
            assertTrue(named(events, "ConnectionFailed").stream().anyMatch(event -> event.getString("cause")
                    .contains("enough") && event.getString("device").equals("receiver")), events::toString);
        }
    }

    private void everything() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            try (TensorReceiver receiver = pair.receiver.receiver("fixed", pair.receiverArena, ElementType.FLOAT32,
                    Shape.of(16), 2);
                    TensorSender sender = pair.channel().sender("fixed", ElementType.FLOAT32, Shape.of(16),
                            DevicePair.TIMEOUT);
                    DynamicTensorReceiver any = pair.receiver.dynamicReceiver("any", pair.receiverArena, 2);
                    DynamicTensorSender anySender = pair.channel().dynamicSender("any", DevicePair.TIMEOUT);
                    Tensor tensor = pair.floats(16, 1)) {
                sender.send(tensor, DevicePair.TIMEOUT);
                receiver.poll(DevicePair.TIMEOUT).close();
                anySender.send(tensor, DevicePair.TIMEOUT);
                any.poll(DevicePair.TIMEOUT).close();
            }
            AtomicBoolean isLost = new AtomicBoolean();
            pair.receiver.onPeerLost(cause -> isLost.set(true));
            pair.sender.abort("enough");
            DevicePair.awaitTrue(pair.receiver, isLost::get);
        }
    }

    /** In their order: a file has those of one thread behind those of another. */
    private List<RecordedEvent> stop(Recording recording) throws IOException {
        recording.stop();
        Path file = folder.resolve("run.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith(PREFIX))
                .sorted(Comparator.comparing(RecordedEvent::getStartTime)).toList();
    }

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream().filter(event -> event.getEventType().getName().equals(PREFIX + name)).toList();
    }
}
