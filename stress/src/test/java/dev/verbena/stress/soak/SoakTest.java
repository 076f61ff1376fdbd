package dev.verbena.stress.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabSource;
import dev.verbena.stress.JavaProcess;

/** A short soak, in a JVM like that of a long one; and what a soak says when something is wrong. */
@Timeout(JavaProcess.TIMEOUT_S)
class SoakTest {
    private static final Pattern FIGURES = Pattern
            .compile("steps=(\\d+) allocations=(\\d+) outOfMemory=(\\d+) threads=(\\d+) arenasClosed=(\\d+) ");

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final SoakCommand command = new SoakCommand(new PrintStream(printed, true, StandardCharsets.UTF_8));

    @Test
    void halfAMinute(@TempDir Path folder) throws Exception {
        JavaProcess.End end = JavaProcess.run(folder, System.getProperty("java.class.path"),
                "@" + JavaProcess.MODULE.resolve("soak.jvm"), SoakCommand.class.getName(), "--duration", "30s");
        assertEquals(0, end.status(), end::output);
        assertTrue(end.output().startsWith("soak --duration 30s --seed ") && end.output().endsWith("passed\n"),
                end::output);
        Matcher figures = FIGURES.matcher(end.output());
        assertEquals(20, figures.results().count(), "pauses at which everything was counted");
        figures.reset().results().skip(19).forEach(last -> {
            for (int i = 1; i <= last.groupCount(); i++) {
                assertTrue(Long.parseLong(last.group(i)) > 20, last::group);
            }
        });
    }

    /** Two slabs are the same memory: blocks are in two hands. */
    @Test
    void aBlockInTwoHandsIsFound() throws Exception {
        SlabSource twice = new SlabSource() {
            private final Slab slab = new OffHeapSlabSource().acquire(256 * 1024 * 1024);

            @Override
            public Slab acquire(long byteSizeMin) {
                return slab;
            }

            @Override
            public void release(Slab released) {}
        };
        assertEquals(1, command.run(twice, () -> 0, "--duration", "20s", "--seed", "7", "--threads", "2"));
        assertTrue(output().contains("FAILED seed=7 thread=soak-"), this::output);
        assertTrue(output().contains(" step="), this::output);
        assertTrue(output().contains("was overwritten at offset="), this::output);
        assertTrue(output().contains("again: soak --duration 20s --seed 7 --threads 2\n"), this::output);
    }

    @Test
    void slabsThatAreLeftAreFound() throws Exception {
        OffHeapSlabSource source = new OffHeapSlabSource();
        assertEquals(1, command.run(source, () -> source.heldByteSize() + 1, "--duration", "2s"));
        assertTrue(output().contains("slabs that nobody gave back: byteSize=1"), this::output);
    }

    @ParameterizedTest
    @CsvSource({"--fast, option '--fast' is unknown", "--seed, --seed needs a value",
            "--seed x, --seed=x must be a whole",
            "--threads 0, --threads=0 must be a whole number from 1",
            "--duration 10, --duration=10 must be a number of s"})
    void wrongOptionsAreNamed(String arguments, String message) throws Exception {
        assertEquals(2, command.run(new OffHeapSlabSource(), () -> 0, arguments.split(" ")));
        assertTrue(output().startsWith("soak: " + message), this::output);
    }

    private String output() {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
