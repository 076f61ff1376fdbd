package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.memory.events.AllocateEvent;
import dev.verbena.memory.events.FreeEvent;
import dev.verbena.memory.events.OutOfMemoryEvent;

/** What Java Flight Recorder gets to see, and that it sees nothing unless asked. */
class ArenaEventsTest {
    private static final long MIB = 1024 * 1024;
    private static final String PREFIX = "dev.verbena.";

    @TempDir
    private Path folder;

    @Test
    void nothingIsRecordedByDefault() throws IOException {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.start();
            everything();
            events = stop(recording);
        }
        assertEquals(List.of(), events);
        assertFalse(AllocateEvent.isOn() || FreeEvent.isOn() || OutOfMemoryEvent.isOn());
    }

    @Test
    void aBlockByAddressIsAllocatedAndFreed() throws IOException {
        try (Recording recording = recording("Allocate", "Free"); TensorArena arena = arena()) {
            long address = arena.allocateAddress(1000);
            arena.freeAddress(address);
            List<RecordedEvent> events = stop(recording);
            assertEquals(List.of("Allocate", "Free"), names(events));
            assertEquals(address, events.get(0).getLong("address"));
            assertEquals(1000, events.get(0).getLong("byteSize"));
            assertEquals(address, events.get(1).getLong("address"));
        }
    }

    @Test
    void aTensorIsFreedWhenItsLastPinIsGone() throws IOException {
        long address;
        List<RecordedEvent> events;
        try (Recording recording = recording("Allocate", "Free"); TensorArena arena = arena()) {
            Tensor tensor = arena.tryAllocate(ElementType.FLOAT32, Shape.of(5, 5));
            address = tensor.address();
            tensor.pin();
            tensor.close();
            Tensor next = arena.allocate(ElementType.UINT8, Shape.of(100));
            tensor.unpin();
            next.close();
            events = stop(recording);
        }
        assertEquals(List.of("Allocate", "Allocate", "Free", "Free"), names(events));
        assertEquals(100, events.get(0).getLong("byteSize"));
        assertEquals(address, events.get(2).getLong("address"));
    }

    @Test
    void aTensorWithHeadroomIsItsBlock() throws IOException {
        try (Recording recording = recording("Allocate", "Free"); TensorArena arena = arena()) {
            Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(100),
                    TensorOptions.defaults().withHeadroomByteSize(16));
            tensor.close();
            List<RecordedEvent> events = stop(recording);
            assertEquals(List.of("Allocate", "Free"), names(events));
            assertEquals(164, events.get(0).getLong("byteSize"));
            assertEquals(events.get(0).getLong("address"), events.get(1).getLong("address"));
        }
    }

    @Test
    void theStackLeadsToWhoAllocated() throws IOException {
        try (Recording recording = recording("Allocate"); TensorArena arena = arena()) {
            arena.freeAddress(arena.allocateAddress(1));
            List<RecordedFrame> frames = stop(recording).getFirst().getStackTrace().getFrames();
            assertTrue(frames.stream().anyMatch(frame -> frame.getMethod().getName()
                    .equals("theStackLeadsToWhoAllocated")), frames::toString);
        }
    }

    @Test
    void anAddressIsFreedBeforeItIsAllocatedAgain() throws IOException {
        try (Recording recording = recording("Allocate", "Free"); TensorArena arena = arena()) {
            for (int i = 0; i < 100; i++) {
                arena.freeAddress(arena.allocateAddress(64));
            }
            List<String> names = names(stop(recording));
            assertEquals(200, names.size());
            for (int i = 0; i < names.size(); i++) {
                assertEquals(i % 2 == 0 ? "Allocate" : "Free", names.get(i));
            }
        }
    }

    /** Another thread may have the address as soon as it is released, before the event of the free is written. */
    @Test
    void anAddressIsFreedBeforeAnotherThreadAllocatesIt() throws IOException {
        try (Recording recording = recording("Allocate", "Free")) {
            FreeEvent.record(address -> AllocateEvent.record(address, 8), 64);
            assertEquals(List.of("Free", "Allocate"), names(stop(recording)));
        }
    }

    @Test
    void aFreeThatIsRefusedIsNone() throws IOException {
        try (Recording recording = recording("Free"); TensorArena arena = arena()) {
            assertThrows(IllegalArgumentException.class, () -> arena.freeAddress(64));
            assertEquals(List.of(), stop(recording));
        }
    }

    @Test
    void memoryOfNoArenaIsNotFreedByOne() throws IOException {
        OffHeapSlabSource source = new OffHeapSlabSource();
        Slab slab = source.acquire(4096);
        try (Recording recording = recording("Allocate", "Free")) {
            Tensor.over(slab, 0, ElementType.UINT8, Shape.of(1), () -> {}).close();
            assertEquals(List.of(), stop(recording));
        }
        source.release(slab);
    }

    /** A scope is its blocks; what lies in them is not recorded. */
    @Test
    void aScopeIsOneBlockHoweverManyTensorsAreClosedInIt() throws IOException {
        try (Recording recording = recording("Allocate", "Free"); TensorArena arena = arena()) {
            try (IterationScope scope = arena.scope(64 * 1024)) {
                scope.allocate(ElementType.UINT8, Shape.of(1)).close();
                scope.allocate(ElementType.UINT8, Shape.of(1)).close();
            }
            assertEquals(List.of("Allocate", "Free"), names(stop(recording)));
        }
    }

    @Test
    void aSlabSaysWhatWasAskedAndWhatCame() throws IOException {
        try (Recording recording = recording("SlabAcquired"); TensorArena arena = arena()) {
            RecordedEvent event = stop(recording).getFirst();
            assertEquals(MIB, event.getLong("requestedByteSize"));
            assertEquals(MIB, event.getLong("byteSize"));
            try (Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(1))) {
                assertEquals(tensor.slab().memory().address(), event.getLong("address"));
            }
            assertTrue(event.getDuration().isPositive(), () -> "duration=" + event.getDuration());
        }
    }

    @Test
    void outOfMemorySaysWhatWasAskedAndWhatThereWas() throws IOException {
        try (Recording recording = recording("OutOfMemory"); TensorArena arena = arena()) {
            long half = arena.allocateAddress(MIB / 2);
            assertNull(arena.tryAllocate(ElementType.UINT8, Shape.of(600_000)));
            assertThrows(OutOfArenaMemoryException.class, () -> arena.allocateAddress(3 * MIB));
            arena.freeAddress(half);
            List<RecordedEvent> events = stop(recording);
            assertEquals(2, events.size());
            RecordedEvent event = events.getFirst();
            assertEquals(600_000, event.getLong("byteSize"));
            assertEquals(MIB / 2, event.getLong("freeByteSize"));
            assertEquals(MIB / 2, event.getLong("largestFreeRunByteSize"));
            assertEquals(MIB, event.getLong("slabByteSize"));
            assertEquals(MIB, event.getLong("byteSizeMax"));
            assertEquals(1, event.getLong("liveCount"));
            assertNull(event.getString("refusal"));
            assertEquals(3 * MIB, events.get(1).getLong("byteSize"));
        }
    }

    @Test
    void outOfMemorySaysWhatTheSourceSaid() throws IOException {
        SlabSource empty = new SlabSource() {
            @Override
            public Slab acquire(long byteSizeMin) {
                throw new OutOfArenaMemoryException("the cupboard is bare");
            }

            @Override
            public void release(Slab slab) {}
        };
        try (Recording recording = recording("OutOfMemory"); TensorArena arena = TensorArena.create(empty, 0, MIB)) {
            assertThrows(OutOfArenaMemoryException.class, () -> arena.allocateAddress(1));
            assertEquals("the cupboard is bare", stop(recording).getFirst().getString("refusal"));
        }
    }

    @Test
    void theEventsOfADebugArenaAreThoseOfItsUser() throws IOException {
        try (Recording recording = recording("Allocate", "Free");
                TensorArena arena = DebugArena.create(new OffHeapSlabSource(), MIB, MIB)) {
            long address = arena.allocateAddress(10);
            arena.freeAddress(address);
            List<RecordedEvent> events = stop(recording);
            assertEquals(List.of("Allocate", "Free"), names(events));
            assertEquals(10, events.get(0).getLong("byteSize"));
            assertEquals(address, events.get(0).getLong("address"));
            assertEquals(address, events.get(1).getLong("address"));
        }
    }

    @Test
    void everyEventAndFieldIsLabelled() throws IOException {
        everything();
        List<EventType> types = FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .filter(type -> type.getName().startsWith(PREFIX)).toList();
        assertEquals(List.of("Allocate", "Free", "OutOfMemory", "SlabAcquired"),
                types.stream().map(type -> type.getName().substring(PREFIX.length())).sorted().toList());
        for (EventType type : types) {
            assertEquals(List.of("Verbena", "Allocator"), type.getCategoryNames());
            assertFalse(type.getLabel().isBlank() || type.getDescription().isBlank(), type::getName);
            type.getFields().forEach(field -> assertFalse(field.getLabel() == null, field::getName));
            type.getFields().stream().filter(field -> field.getName().endsWith("yteSize"))
                    .forEach(field -> assertEquals("jdk.jfr.DataAmount", field.getContentType(), field::getName));
        }
    }

    private static void everything() {
        try (TensorArena arena = arena()) {
            arena.freeAddress(arena.allocateAddress(1));
            arena.allocate(ElementType.UINT8, Shape.of(1)).close();
            assertNull(arena.tryAllocate(ElementType.UINT8, Shape.of(2 * MIB)));
        }
    }

    private static TensorArena arena() {
        return TensorArena.create(new OffHeapSlabSource(), MIB, MIB);
    }

    private static Recording recording(String... names) {
        Recording recording = new Recording();
        for (String name : names) {
            recording.enable(PREFIX + name);
        }
        recording.start();
        return recording;
    }

    /** What was recorded of ours, by time. */
    private List<RecordedEvent> stop(Recording recording) throws IOException {
        recording.stop();
        Path file = folder.resolve("recording.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith(PREFIX))
                .sorted(java.util.Comparator.comparing(RecordedEvent::getStartTime)).toList();
    }

    private static List<String> names(List<RecordedEvent> events) {
        return events.stream().map(event -> event.getEventType().getName().substring(PREFIX.length())).toList();
    }
}
