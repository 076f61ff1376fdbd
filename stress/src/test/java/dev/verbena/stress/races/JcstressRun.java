package dev.verbena.stress.races;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.util.TestLineReader;

import dev.verbena.stress.JavaProcess;

/**
 * One run of jcstress in a process of its own, which starts one for each test.
 *
 * @param status how the process ended; not 0 if a test failed
 * @param output what it printed
 * @param results of each test and kind of JVM
 */
record JcstressRun(int status, String output, Collection<TestResult> results) {
    static final Path MAIN_CLASSES = JavaProcess.MODULE.resolve("target/classes");
    static final Path TEST_CLASSES = JavaProcess.MODULE.resolve("target/test-classes");

    private static final String TEST_LIST = "META-INF/TestList";

    /** Those tests of a class folder whose names match, each in one JVM for so long; {@code name} is of a folder under target. */
    static JcstressRun quick(String name, Path classes, int testTimeMs, String tests) throws Exception {
        Path folder = JavaProcess.MODULE.resolve("target/jcstress-" + name);
        clear(folder);
        JavaProcess.End end = JavaProcess.run(folder, first(classes), "@" + JavaProcess.MODULE.resolve("races.jvm"),
                "-jvmArgs", "-XX:+UseSerialGC", "-sc", "false", "-af", "NONE", "-f", "1", "-iters", "1", "-time",
                Integer.toString(testTimeMs), "-t", tests);
        return new JcstressRun(end.status(), end.output(), read(folder));
    }

    /** Names of the tests that so many processors can run. */
    static Set<String> testsFor(int processors, String prefix) throws IOException {
        Set<String> names = new TreeSet<>();
        for (String line : Files.readAllLines(MAIN_CLASSES.resolve(TEST_LIST))) {
            TestLineReader reader = new TestLineReader(line);
            String name = reader.nextString();
            reader.nextString(); // the binary name
            reader.nextString(); // the runner
            reader.nextString(); // the description
            if (reader.nextInt() <= processors) {
                names.add(name);
            }
        }
        assertEquals(List.of(), names.stream().filter(name -> !name.startsWith(prefix)).toList());
        return names;
    }

    /** jcstress runs what the first list on the class path says. */
    private static String first(Path classes) {
        return classes + File.pathSeparator + System.getProperty("java.class.path");
    }

    private static Collection<TestResult> read(Path folder) throws IOException, ClassNotFoundException {
        InProcessCollector results = new InProcessCollector();
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> found = files.filter(file -> file.toString().endsWith(".bin.gz")).toList();
            assertEquals(1, found.size(), () -> "files of results in " + folder);
            DiskReadCollector reader = new DiskReadCollector(found.getFirst().toString(), results);
            reader.dump();
            reader.close();
        }
        return results.getTestResults();
    }

    private static void clear(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> old = Files.walk(folder)) {
                for (Path path : old.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
        Files.createDirectories(folder);
    }
}
