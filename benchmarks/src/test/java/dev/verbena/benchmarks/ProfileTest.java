package dev.verbena.benchmarks;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/** A recording of code that is known: what it does stands on top. */
class ProfileTest {
    private static final long RECORDED_NS = 1_500_000_000;

    private volatile Object kept;

    private static final class Bulky {
        final long[] bytes = new long[1000];
    }

    @Test
    void timeAndHeapAreThoseOfTheCodeRecorded(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("known.jfr");
        try (Recording recording = new Recording(Configuration.getConfiguration("profile"))) {
            recording.start();
            long made = makeBulky();
            System.gc();
            recording.stop();
            recording.dump(file);
            assertTrue(made > 0);
        }
        Profile profile = Profile.read(file);
        assertTrue(profile.time().getFirst().contains("% of samples in dev.verbena.benchmarks.ProfileTest"),
                () -> profile.time().toString());
        assertTrue(profile.heap().getFirst().endsWith("% of bytes for [J"), () -> profile.heap().toString());
        assertTrue(profile.collections().matches("garbage collections=[1-9].* longestPauseNs=[1-9].*"),
                profile::collections);
    }

    private long makeBulky() {
        long made = 0;
        for (long endNs = System.nanoTime() + RECORDED_NS; System.nanoTime() < endNs; made++) {
            Bulky bulky = new Bulky();
            for (int i = 0; i < bulky.bytes.length; i++) {
                bulky.bytes[i] = made / (i + 1);
            }
            kept = bulky;
        }
        return made;
    }
}
