package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** When Java Flight Recorder comes up: with the process, later, or not at all. Each in a process of its own. */
class ArenaEventsStartTest {
    private static final Pattern OPTION = Pattern.compile("java (-XX:StartFlightRecording:filename=)run\\.jfr(\\S+)");

    @TempDir
    private Path folder;

    /** What registers events by itself brings a hundred classes of the recorder with it. */
    @Test
    void anArenaDoesNotBringTheRecorderUp() throws Exception {
        String output = run(List.of("-Xlog:class+load:stdout"), Unrecorded.class);
        assertTrue(output.contains(" jdk.jfr.Event ") && output.contains("initialized=false"), output);
        long loaded = output.lines().filter(line -> line.contains(" jdk.jfr.")).count();
        assertTrue(loaded < 30, "classes of the recorder: " + loaded);
    }

    @Test
    void aRecordingMayBeginWhenArenasHaveBeenAtWork() throws Exception {
        assertEquals("events=1000", run(List.of(), RecordedLate.class));
    }

    @Test
    void theCommandLineOfTheGuideRecords() throws Exception {
        Path guide = Path.of(System.getProperty("verbena.home"), "docs/guide/diagnosis.md");
        Matcher option = OPTION.matcher(Files.readString(guide));
        assertTrue(option.find(), "the guide has a command line");
        Path file = folder.resolve("run.jfr");
        assertTrue(run(List.of(option.group(1) + file + option.group(2)), Unrecorded.class)
                .endsWith("initialized=true"));
        assertEquals(List.of("dev.verbena.SlabAcquired", "dev.verbena.OutOfMemory"), ours(file));
    }

    /** An arena at work, and one request that it refuses. */
    static final class Unrecorded {
        public static void main(String[] arguments) {
            try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 1 << 20, 1 << 20)) {
                pairs(arena, 1000);
                arena.tryAllocate(ElementType.UINT8, Shape.of(1L << 30));
            }
            System.out.println("initialized=" + FlightRecorder.isInitialized());
        }
    }

    /** So long that the JIT has compiled it without events. */
    static final class RecordedLate {
        public static void main(String[] arguments) throws IOException {
            Path file = Files.createTempFile("late", ".jfr");
            try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 1 << 20, 1 << 20);
                    Recording recording = new Recording()) {
                pairs(arena, 1_000_000);
                recording.enable("dev.verbena.Allocate");
                recording.start();
                pairs(arena, 1000);
                recording.stop();
                recording.dump(file);
                System.out.println("events=" + ours(file).size());
            } finally {
                Files.delete(file);
            }
        }
    }

    private static void pairs(TensorArena arena, int count) {
        for (int i = 0; i < count; i++) {
            arena.freeAddress(arena.allocateAddress(64));
        }
    }

    /** By the time at which they began; they lie in a file as the recorder's buffers were written. */
    private static List<String> ours(Path file) throws IOException {
        return RecordingFile.readAllEvents(file).stream().sorted(Comparator.comparing(RecordedEvent::getStartTime))
                .map(event -> event.getEventType().getName()).filter(name -> name.startsWith("dev.verbena.")).toList();
    }

    private static String run(List<String> options, Class<?> type) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:-UsePerfData",
                        "-Xlog:disable", "--enable-native-access=ALL-UNNAMED", "-cp",
                        System.getProperty("java.class.path")));
        command.addAll(options);
        command.add(type.getName());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output.strip();
    }
}
