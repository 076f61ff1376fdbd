package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/** What becomes of tests that ran elsewhere: each way to end, by a real run of the launcher in another JVM, becomes the same here. */
class OnDeviceReportTest {
    @TempDir
    private Path folder;

    @Test
    void eachTestEndsHereAsItEndedThere() throws Exception {
        Map<String, DynamicTest> tests = run(SomeFixture.Mixed.class, SomeFixture.NeverStarts.class);
        assertEquals(4, tests.size(), tests::toString);
        assertNull(outcome(tests.get("SomeFixture$Mixed.passes on dev0")));
        String failure = outcome(tests.get("SomeFixture$Mixed.fails on dev0")).getMessage();
        assertTrue(failure.startsWith("SomeFixture$Mixed.fails on dev0: "), failure);
        assertTrue(failure.contains("expected: <right> but was: <wrong>"), failure);
        assertTrue(failure.contains("SomeFixture.java:"), failure);
        Throwable skipped = outcome(tests.get("SomeFixture$Mixed.isSkipped on dev0"));
        assertTrue(skipped instanceof TestAbortedException, () -> "" + skipped);
        assertTrue(skipped.getMessage().contains("the device has no windows"), skipped.getMessage());
        String never = outcome(tests.get("SomeFixture$NeverStarts.isNotReached on dev0")).getMessage();
        assertTrue(never.contains("no device"), never);
    }

    @Test
    void aJvmThatCrashesFailsWithItsLastLines() throws Exception {
        Map<String, DynamicTest> tests = run(SomeFixture.Crashes.class);
        assertEquals(2, tests.size(), tests::toString);
        for (DynamicTest test : tests.values()) {
            String failure = outcome(test).getMessage();
            assertTrue(failure.contains("about to crash"), failure);
        }
        assertTrue(outcome(tests.get("the run on dev0 as a whole")).getMessage().contains("status=66"));
    }

    @Test
    void aTestThatHangsIsEndedByName() throws Exception {
        Map<String, DynamicTest> tests = run("1 s", SomeFixture.Hangs.class);
        String failure = outcome(tests.get("SomeFixture$Hangs.waitsForNobody on dev0")).getMessage();
        assertTrue(failure.contains("waitsForNobody() timed out after 1 second"), failure);
    }

    @Test
    void aClassThatRanNoTestFails() throws Exception {
        Map<String, DynamicTest> tests = run(SomeFixture.Mixed.class, SomeFixture.HasNoTest.class);
        String failure = outcome(tests.get(SomeFixture.HasNoTest.class.getName() + " ran on dev0")).getMessage();
        assertTrue(failure.contains("ran no test on dev0"), failure);
    }

    @Test
    void classesAreFoundByName() throws Exception {
        String known = "dev.verbena.verbs.VerbsDeviceOnDevice";
        assertTrue(OnDeviceRun.classes(Guests.HOME, "").contains(known));
        assertEquals(List.of(known), OnDeviceRun.classes(Guests.HOME, "VerbsDeviceOnDevice"));
        assertEquals(List.of(known), OnDeviceRun.classes(Guests.HOME, known));
        String failure = assertThrows(IllegalArgumentException.class,
                () -> OnDeviceRun.classes(Guests.HOME, "DeviceOnDevice")).getMessage();
        assertTrue(failure.startsWith("class=DeviceOnDevice is none of the tests on a device: ["), failure);
        assertThrows(IllegalStateException.class, () -> OnDeviceRun.classes(folder, ""));
    }

    @Test
    void thoseOfProcessesHaveAGuestOfTheirOwnAndNoneIsLost() throws Exception {
        List<String> classes = OnDeviceRun.classes(Guests.HOME, "");
        List<List<String>> shares = OnDeviceShare.of("rxe0", classes).stream().map(OnDeviceShare::classes).toList();
        assertEquals(2, shares.size());
        assertEquals(List.of("dev.verbena.testing.VerbsStoppedPeerOnDevice",
                "dev.verbena.testing.program.VerbsProgramsOnDevice"), shares.getLast());
        assertEquals(classes.stream().sorted().toList(), shares.stream().flatMap(List::stream).sorted().toList());
        assertEquals(1, OnDeviceShare.of("rxe0", List.of("a.B")).size());
    }

    private Map<String, DynamicTest> run(Class<?>... classes) throws Exception {
        return run("60 s", classes);
    }

    private Map<String, DynamicTest> run(String deadline, Class<?>... classes) throws Exception {
        List<String> names = Stream.of(classes).map(Class::getName).toList();
        OnDeviceRun run = OnDeviceRun.prepare(folder.resolve("run"), names, deadline);
        Path output = folder.resolve("output");
        int status = new ProcessBuilder("bash", "-c", run.command()).redirectErrorStream(true)
                .redirectOutput(output.toFile()).start().waitFor();
        Map<String, DynamicTest> tests = new TreeMap<>();
        for (DynamicNode node : OnDeviceTest.nodes("dev0", names, run.results(),
                new GuestRun(status, Files.readString(output), ""))) {
            collect(node, tests);
        }
        return tests;
    }

    private static void collect(DynamicNode node, Map<String, DynamicTest> tests) {
        switch (node) {
            case DynamicContainer container -> container.getChildren().forEach(child -> collect(child, tests));
            case DynamicTest test -> tests.put(test.getDisplayName(), test);
            default -> throw new AssertionError(node);
        }
    }

    /** What it throws, null where nothing. */
    private static Throwable outcome(DynamicTest test) {
        try {
            test.getExecutable().execute();
            return null;
        } catch (Throwable thrown) {
            return thrown;
        }
    }
}
