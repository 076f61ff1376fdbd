package dev.verbena.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/** Where a turn's time and Java heap go, by the JDK's flight recorder: one more turn, which does not count. */
final class Profile {
    private static final int LINES_MAX = 8;

    private final Map<String, Long> samples = new HashMap<>();
    private final Map<String, Long> heap = new HashMap<>();
    private long collections;
    private Duration longestPause = Duration.ZERO;

    private Profile() {}

    static Profile of(JavaTurn turn) throws IOException {
        Path file = Files.createTempFile("verbena-profile", ".jfr");
        try {
            turn.withJvmOption("-XX:StartFlightRecording:settings=profile,filename=" + file).run();
            return read(file);
        } finally {
            Files.delete(file);
        }
    }

    static Profile read(Path file) throws IOException {
        Profile profile = new Profile();
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                profile.count(recording.readEvent());
            }
        }
        return profile;
    }

    /** The methods that were on top of the stack most often. */
    List<String> time() {
        return lines(samples, "of samples in ");
    }

    /** The classes that most bytes of the Java heap went to. */
    List<String> heap() {
        return lines(heap, "of bytes for ");
    }

    String collections() {
        return "garbage collections=" + collections + " longestPauseNs=" + longestPause.toNanos();
    }

    private void count(RecordedEvent event) {
        switch (event.getEventType().getName()) {
            case "jdk.ExecutionSample", "jdk.NativeMethodSample" -> countTop(event.getStackTrace());
            case "jdk.ObjectAllocationSample" -> heap.merge(((RecordedClass) event.getValue("objectClass")).getName(),
                    event.getLong("weight"), Long::sum);
            case "jdk.GarbageCollection" -> {
                collections++;
                Duration pause = event.getDuration("longestPause");
                longestPause = pause.compareTo(longestPause) > 0 ? pause : longestPause;
            }
            default -> {
            } // of no interest here
        }
    }

    private void countTop(RecordedStackTrace stack) {
        if (stack != null && isOurs(stack)) {
            RecordedFrame top = stack.getFrames().getFirst();
            samples.merge(top.getMethod().getType().getName() + "." + top.getMethod().getName() + ":"
                    + top.getLineNumber(), 1L, Long::sum);
        }
    }

    /** Only threads that run a benchmark, not JMH's and the JDK's own. */
    private static boolean isOurs(RecordedStackTrace stack) {
        return stack.getFrames().stream()
                .anyMatch(frame -> frame.getMethod().getType().getName().startsWith("dev.verbena."));
    }

    private static List<String> lines(Map<String, Long> counts, String preposition) {
        long total = counts.values().stream().mapToLong(Long::longValue).sum();
        List<String> lines = new ArrayList<>();
        counts.entrySet().stream().sorted(Map.Entry.<String, Long>comparingByValue().reversed()).limit(LINES_MAX)
                .forEach(entry -> lines.add(String.format(Locale.ROOT, "%5.1f %% %s%s",
                        100.0 * entry.getValue() / total, preposition, entry.getKey())));
        return lines;
    }
}
