package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ./verbena script on a tree of its own, with JDKs and a Maven that only say that they were called. */
class ScriptTest {
    private record Run(int status, String output, String errors) {}

    /** Everything that the script may need, and no java. */
    private static final List<String> TOOLS = List.of("bash", "basename", "cat", "cksum", "cp", "cut", "dirname", "env",
            "find", "flock", "head", "mkdir", "readlink", "rm", "sed", "sleep", "sort", "stat", "tail", "touch", "tr",
            "uname");

    /** Builds nothing, but leaves what a build would. */
    private static final String MAVEN = """
            #!/usr/bin/env bash
            if [ "$1" = -v ]; then echo "Apache Maven 3.9.0 (fake)"; exit; fi
            echo "maven on $JAVA_HOME: $*"
            echo built >> "$BUILDS"
            if [ -e skip ]; then cp skip softroce/target/skipped; fi
            if [ -e beside ] && [ -n "${VERBENA_TESTS_BESIDE:-}" ]; then echo "$VERBENA_TESTS_BESIDE" > beside; fi
            if [ -e broken-half ] && [[ " $* " == *" -pl $(cat broken-half) "* ]]; then exit 1; fi
            if [ -e endless ]; then sleep 1000 & echo $$ $! > endless; wait; fi
            if [ -e broken ]; then echo "this is what is wrong"; exit 1; fi
            mkdir -p cli/target/application
            touch cli/target/verbena-cli-1.jar
            for module in benchmarks stress; do mkdir -p $module/target && printf jars > $module/target/classpath; done
            """;

    @TempDir
    private Path folder;
    private Path tree;
    private Path tools;
    private Path jdks;
    private Path builds;

    @BeforeEach
    void plantATree() throws IOException {
        tree = folder.resolve("tree");
        tools = Files.createDirectories(folder.resolve("tools"));
        jdks = Files.createDirectories(folder.resolve("jdks"));
        builds = folder.resolve("builds");
        Files.createDirectories(tree.resolve("cli/src/main/java"));
        Files.writeString(tree.resolve("pom.xml"), "<project/>");
        Files.writeString(tree.resolve("cli/pom.xml"), "<project/>");
        Files.writeString(tree.resolve("cli/src/main/java/A.java"), "class A {}");
        Files.createDirectories(tree.resolve("integrations/other/src/main/java"));
        Files.writeString(tree.resolve("integrations/other/pom.xml"), "<project/>");
        Files.writeString(tree.resolve("integrations/other/src/main/java/B.java"), "class B {}");
        Files.copy(Repository.root().resolve("verbena"), tree.resolve("verbena"));
        executable(tree.resolve("verbena"), Files.readString(tree.resolve("verbena")));
        Files.createDirectories(tree.resolve("config"));
        Files.copy(Repository.root().resolve("config/jdk-and-maven"), tree.resolve("config/jdk-and-maven"));
        for (String tool : TOOLS) {
            for (String bin : List.of("/usr/bin", "/bin")) {
                Path original = Path.of(bin, tool);
                if (Files.exists(original) && !Files.exists(tools.resolve(tool))) {
                    executable(tools.resolve(tool), "#!/bin/sh\nexec " + original + " \"$@\"\n");
                }
            }
        }
        executable(tools.resolve("mvn"), MAVEN);
    }

    @Test
    void findsAJdkInTheUsualFolders() throws Exception {
        jdk("old-17", "17.0.9");
        jdk("new-25", "25.0.1");
        Run run = run(Map.of(), "info", "--json");
        assertEquals(0, run.status(), run.errors());
        assertTrue(run.output().startsWith("java of new-25: "), run.output());
        assertTrue(run.output().strip().endsWith("dev.verbena.cli.Verbena info --json"), run.output());
        assertEquals("building Verbena (first use) ...\n", run.errors());
    }

    @Test
    void prefersJavaHomeIfItIsNewEnough() throws Exception {
        jdk("a-25", "25.0.1");
        Path chosen = jdk("z-22", "22");
        assertTrue(run(Map.of("JAVA_HOME", chosen.toString()), "x").output().startsWith("java of z-22: "));
        Path old = jdk("old", "1.8.0_400");
        assertTrue(run(Map.of("JAVA_HOME", old.toString()), "x").output().startsWith("java of a-25: "));
        assertTrue(
                run(Map.of("VERBENA_JAVA_HOME", chosen.toString(), "JAVA_HOME", jdks.resolve("a-25").toString()), "x")
                        .output().startsWith("java of z-22: "));
    }

    @Test
    void saysWhatToInstallWhereThereIsNoJdk() throws Exception {
        jdk("old-17", "17.0.9");
        Path runtimeOnly = jdk("jre-25", "25.0.1");
        Files.delete(runtimeOnly.resolve("bin/javac"));
        for (String command : List.of("train", "test")) {
            Run run = run(Map.of(), command);
            assertEquals(2, run.status());
            assertEquals(1, run.errors().lines().count(), run.errors());
            assertTrue(run.errors().startsWith("verbena: no JDK 22 or newer found; install "), run.errors());
        }
    }

    @Test
    void refusesAVerbenaJavaHomeThatIsTooOld() throws Exception {
        jdk("new-25", "25.0.1");
        Run run = run(Map.of("VERBENA_JAVA_HOME", jdk("old-17", "17.0.9").toString()), "train");
        assertEquals(2, run.status());
        assertTrue(run.errors().contains("VERBENA_JAVA_HOME="), run.errors());
    }

    @Test
    void saysWhatDoesNotWorkElsewhere() throws Exception {
        Files.delete(tools.resolve("uname"));
        executable(tools.resolve("uname"), "#!/usr/bin/env bash\necho Darwin\n");
        Run run = run(Map.of(), "train");
        assertEquals(2, run.status());
        assertEquals(1, run.errors().lines().count(), run.errors());
        assertTrue(run.errors().contains("does not work on Darwin"), run.errors());
    }

    @Test
    void buildsOnlyWhenSourcesChange() throws Exception {
        jdk("new-25", "25.0.1");
        run(Map.of(), "x");
        assertEquals("", run(Map.of(), "x").errors());
        assertEquals(1, buildCount());
        Path added = tree.resolve("cli/src/main/java/B.java");
        Files.writeString(added, "class B {}");
        assertEquals("building Verbena (changed sources) ...\n", run(Map.of(), "x").errors());
        assertEquals(2, buildCount());
        Files.delete(added);
        run(Map.of(), "x");
        assertEquals(3, buildCount(), "a deletion is a change");
        Files.writeString(tree.resolve("cli/pom.xml"), "<project><!-- --></project>");
        run(Map.of(), "x");
        run(Map.of(), "x");
        assertEquals(4, buildCount());
        Files.writeString(tree.resolve("integrations/other/src/main/java/B.java"), "class B { int c; }");
        run(Map.of(), "x");
        assertEquals(5, buildCount());
    }

    @Test
    void onlyOneOfManyBuilds() throws Exception {
        jdk("new-25", "25.0.1");
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            processes.add(start(Map.of(), folder.resolve("out" + i), folder.resolve("err" + i), "x"));
        }
        for (Process process : processes) {
            assertEquals(0, process.waitFor());
        }
        assertEquals(1, buildCount());
    }

    @Test
    void showsTheBuildThatFails() throws Exception {
        jdk("new-25", "25.0.1");
        Files.createFile(tree.resolve("broken"));
        Run run = run(Map.of(), "x");
        assertEquals(2, run.status());
        assertTrue(run.errors().contains("this is what is wrong"), run.errors());
        assertEquals("", run.output());
        Files.delete(tree.resolve("broken"));
        assertEquals(0, run(Map.of(), "x").status(), "nothing of the failed build is taken for good");
        assertEquals(2, buildCount());
    }

    @Test
    void testIsMavensTest() throws Exception {
        Path jdk = jdk("new-25", "25.0.1");
        Run run = run(Map.of(), "test", "-Dtest=X");
        assertEquals(0, run.status());
        assertTrue(run.output().startsWith("maven on " + jdk + ": -B -ntp "), run.output());
        assertTrue(run.output().strip().endsWith(" test -Dtest=X"), run.output());
        Files.createFile(tree.resolve("broken"));
        assertEquals(1, run(Map.of(), "test").status());
    }

    @Test
    void testSaysLastWhatWasSkippedThisTime() throws Exception {
        jdk("new-25", "25.0.1");
        Path skipped = Files.createDirectories(tree.resolve("softroce/target")).resolve("skipped");
        Files.writeString(skipped, "an earlier run's\n");
        assertFalse(run(Map.of(), "test").output().contains("an earlier run's"));
        Files.writeString(tree.resolve("skip"), "skipped: a reason.\n");
        assertTrue(run(Map.of(), "test").output().endsWith("\nskipped: a reason.\n"));
        Files.createFile(tree.resolve("broken"));
        Run failed = run(Map.of(), "test");
        assertEquals(1, failed.status());
        assertTrue(failed.output().endsWith("\nskipped: a reason.\n"), failed.output());
    }

    @Test
    void testSaysFirstHowLongAllTestsTakeHere() throws Exception {
        jdk("new-25", "25.0.1");
        Path softroce = Files.createDirectories(tree.resolve("softroce")).resolve("softroce");
        executable(softroce, "#!/usr/bin/env bash\n[ $1 != check ] || { echo 'No root.'; exit 3; }\n");
        assertTrue(run(Map.of(), "test").output()
                .matches("(?s)All tests take about 5 minutes .*\\nNo root.\\nmaven on .*"));
        String onDevice = run(Map.of("VERBENA_TEST_DEVICE", "mlx5_0"), "test").output();
        assertTrue(onDevice.contains(" about 5 minutes ") && onDevice.contains("'s mlx5_0.\n"), onDevice);
        executable(softroce, "#!/usr/bin/env bash\n[ $1 = check ] || echo \"softroce $1\"\n");
        String inGuests = run(Map.of(), "test").output();
        assertTrue(inGuests.matches("(?s)All tests take about 30 minutes .*\\nsoftroce setup\\nmaven on .*"), inGuests);
        assertFalse(run(Map.of(), "test", "-pl", "x").output().contains("minutes"), "not all tests");
    }

    @Test
    void whereThereIsRoomTheTestsInGuestsRunBesideTheOthers() throws Exception {
        jdk("new-25", "25.0.1");
        Path softroce = Files.createDirectories(tree.resolve("softroce")).resolve("softroce");
        executable(softroce, "#!/usr/bin/env bash\n[ $1 != slots ] || echo 2\n");
        Files.writeString(tree.resolve("beside"), "");
        Run run = run(Map.of(), "test");
        assertEquals(0, run.status(), run.errors());
        List<String> runs = run.output().lines().filter(line -> line.startsWith("maven on ")).toList();
        assertTrue(runs.getFirst().endsWith(" -q test-compile"), run.output());
        assertTrue(runs.get(1).endsWith(" -pl !softroce test"), run.output());
        assertTrue(runs.get(2).contains(" -pl softroce -am -Dtest=dev.verbena.softroce.*Test "), run.output());
        assertEquals(3, runs.size(), run.output());
        assertTrue(Files.readString(tree.resolve("beside")).matches("\\d+\n"), "whom to leave a processor to");
        for (String half : List.of("!softroce", "softroce")) {
            Files.writeString(tree.resolve("broken-half"), half);
            Run failed = run(Map.of(), "test");
            assertEquals(1, failed.status(), failed.output());
            assertEquals(3, failed.output().lines().filter(line -> line.startsWith("maven on ")).count(),
                    failed.output());
            assertTrue(failed.errors().endsWith("verbena: tests failed: "
                    + (half.startsWith("!") ? "see Maven's first run above.\n" : "see what is above.\n")),
                    failed.errors());
        }
    }

    @ParameterizedTest
    @CsvSource({"HUP, 129", "INT, 130", "TERM, 143"})
    void whoEndsTestEndsMavenAndWhatItStarted(String signal, int status) throws Exception {
        jdk("new-25", "25.0.1");
        Path started = Files.createFile(tree.resolve("endless"));
        // What started this test may have let it ignore signals.
        Process process = builder(Map.of(), List.of("/usr/bin/env", "--default-signal=HUP,INT,TERM"), "test", "-pl",
                "x")
                .redirectOutput(folder.resolve("out").toFile()).redirectError(folder.resolve("err").toFile()).start();
        List<ProcessHandle> processes = List.of();
        try {
            while (Files.size(started) == 0) {
                assertFalse(process.waitFor(20, TimeUnit.MILLISECONDS), "ended before Maven was started");
            }
            processes = Arrays.stream(Files.readString(started).strip().split(" "))
                    .flatMap(pid -> ProcessHandle.of(Long.parseLong(pid)).stream()).toList();
            assertEquals(2, processes.size());
            new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + process.pid()).start().waitFor();
            assertEquals(status, process.waitFor());
            for (ProcessHandle each : processes) {
                each.onExit().get(20, TimeUnit.SECONDS);
            }
        } finally {
            processes.forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource({"bench, benchmarks, allocator --quick, dev.verbena.benchmarks.AllocatorBenchmark --quick",
            "stress, stress, soak --seed 7, dev.verbena.stress.soak.SoakCommand --seed 7"})
    void benchAndStressTakeTheJdkAndTheMavenThatAreFound(String command, String module, String arguments,
            String started)
            throws Exception {
        jdk("new-25", "25.0.1");
        Files.move(tools.resolve("mvn"), tree.resolve("mvnw"));
        executable(tools.resolve("cc"), "#!/usr/bin/env bash\n");
        Path script = Files.createDirectories(tree.resolve(module)).resolve("run");
        executable(script, Files.readString(Repository.root().resolve(module + "/run")));
        String[] all = (command + " " + arguments).split(" ");
        Run run = run(Map.of(), all);
        assertEquals(0, run.status(), run.errors());
        assertTrue(run.output().startsWith("java of new-25: "), run.output());
        assertTrue(run.output().endsWith(" -cp " + tree + "/" + module + "/target/classes:jars " + started + "\n"),
                run.output());
        Files.createFile(tree.resolve("broken"));
        Run failed = run(Map.of(), all);
        assertEquals(2, failed.status());
        assertTrue(failed.errors().contains(" -q -pl " + module + " -am "), failed.errors());
        assertTrue(
                failed.errors()
                        .endsWith("this is what is wrong\n" + module + ": the build failed; its output is above.\n"),
                failed.errors());
    }

    private Path jdk(String name, String version) throws IOException {
        Path jdk = Files.createDirectories(jdks.resolve(name));
        Files.createDirectories(jdk.resolve("bin"));
        executable(jdk.resolve("bin/java"), "#!/usr/bin/env bash\necho \"java of " + name + ": $*\"\n");
        executable(jdk.resolve("bin/javac"), "");
        Files.writeString(jdk.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        return jdk;
    }

    private long buildCount() throws IOException {
        return Files.readString(builds).lines().count();
    }

    private Run run(Map<String, String> environment, String... arguments) throws IOException, InterruptedException {
        Path output = folder.resolve("out");
        Path errors = folder.resolve("err");
        int status = start(environment, output, errors, arguments).waitFor();
        return new Run(status, Files.readString(output), Files.readString(errors));
    }

    private Process start(Map<String, String> environment, Path output, Path errors, String... arguments)
            throws IOException {
        return builder(environment, List.of(), arguments).redirectOutput(output.toFile())
                .redirectError(errors.toFile()).start();
    }

    /** @param prefix a command that runs the script */
    private ProcessBuilder builder(Map<String, String> environment, List<String> prefix, String... arguments) {
        List<String> command = new ArrayList<>(prefix);
        command.add(tree.resolve("verbena").toString());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(Map.of("PATH", tools.toString(), "HOME", folder.toString(), "VERBENA_JDK_FOLDERS",
                jdks.toString(), "BUILDS", builds.toString()));
        builder.environment().putAll(environment);
        return builder;
    }

    private static void executable(Path file, String text) throws IOException {
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
