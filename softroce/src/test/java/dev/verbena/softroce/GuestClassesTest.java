package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GuestClassesTest {
    private static final List<String> FLAGS = List.of("-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xshare:auto");
    /** Of this module's tests, which are folders elsewhere. */
    private static final String LOADED = "dev.verbena.softroce.GuestClassesTest$Loaded source: ";

    @TempDir
    private Path folder;

    /** What another JVM loads. */
    static final class Loaded {
        private Loaded() {}

        public static void main(String[] arguments) {
            System.out.println("archive=" + System.getProperty("verbena.archive", "none"));
        }
    }

    @Test
    void whatOneHasListedComesFromTheArchiveForTheNext() throws Exception {
        GuestClasses classes = new GuestClasses(folder);
        assertEquals(List.of(), classes.flags());
        Path list = folder.resolve("list");
        String first = run(classes, List.of(GuestClasses.listing(list)));
        assertTrue(first.contains(LOADED + "file:"), first);
        assertTrue(first.contains("archive=none\n"), first);
        classes.archive(list, FLAGS);
        String second = run(classes, classes.flags());
        assertTrue(second.contains(LOADED + "shared objects file"), second);
        assertTrue(second.contains("archive=" + folder.resolve("classes.jsa") + "\n"), second);
    }

    @Test
    void withoutAListThereIsNoArchive() throws Exception {
        GuestClasses classes = new GuestClasses(folder);
        classes.archive(folder.resolve("none"), FLAGS);
        assertEquals(List.of(), classes.flags());
        assertFalse(classes.classPath().contains("test-classes:"), "only jars: " + classes.classPath());
    }

    private static String run(GuestClasses classes, List<String> more) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(FLAGS);
        command.addAll(more);
        command.addAll(List.of("-Xlog:class+load", "-cp", classes.classPath(), Loaded.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        assertEquals(0, process.waitFor(), output);
        return output;
    }
}
