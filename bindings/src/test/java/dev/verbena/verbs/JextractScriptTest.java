package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** jextract.sh, with a stand-in for jextract that hands back the committed sources, intact or damaged. */
class JextractScriptTest {
    private static final Path HOME = Path.of(System.getProperty("verbena.home"));
    private static final String SOURCES = "bindings/src/main/java/dev/verbena/verbs/abi";
    private static final String INCLUDES = "bindings/jextract.includes";
    /** What the committed sources were made with. */
    private static final String MADE = made();

    @TempDir
    Path folder;

    private record Outcome(int status, String output) {}

    @Test
    void withoutJextractItSaysWhereToGetIt() throws Exception {
        Path bin = Files.createDirectory(folder.resolve("bin"));
        // All that the script calls before it looks for jextract.
        Path dirname = Files.writeString(bin.resolve("dirname"), "#!/bin/sh\nexec /usr/bin/dirname \"$@\"\n");
        assertTrue(dirname.toFile().setExecutable(true));
        Outcome outcome = script(null, bin.toString(), "--check");
        assertEquals(2, outcome.status, outcome.output);
        assertTrue(
                outcome.output.startsWith(
                        "jextract.sh: jextract is not on the PATH: clone https://github.com/openjdk/jextract"),
                outcome.output);
        assertEquals(1, outcome.output.lines().count());

        outcome = script("/nowhere/jextract", System.getenv("PATH"), "--check");
        assertEquals(2, outcome.status, outcome.output);
        assertTrue(outcome.output.contains("not executable at JEXTRACT=/nowhere/jextract"), outcome.output);
    }

    @Test
    void anUnknownArgumentIsRefused() throws Exception {
        Outcome outcome = script("/bin/true", System.getenv("PATH"), "--chekc");
        assertEquals(2, outcome.status);
        assertEquals("jextract.sh: unknown argument=--chekc: call it without any, or with --check.\n", outcome.output);
    }

    @Test
    void checkAcceptsWhatIsCommitted() throws Exception {
        Outcome outcome = checkWith(":");
        assertEquals(0, outcome.status, outcome.output);
    }

    @Test
    void checkNamesTheFileThatDiffers() throws Exception {
        Outcome outcome = checkWith("echo '// changed' >> \"$out/ibv_wc.java\"");
        assertEquals(1, outcome.status, outcome.output);
        assertTrue(outcome.output.contains("ibv_wc.java") && outcome.output.contains("run ./jextract.sh"),
                outcome.output);
    }

    @Test
    void aSymbolThatTheHeadersLackIsNamed() throws Exception {
        Outcome outcome = checkWith(
                "rm \"$out/ibv_wc.java\"; sed -i 's/ IBV_QPS_RTS()/ IBV_QPS_RUN()/' \"$out/rdma_core_h.java\"");
        assertEquals(2, outcome.status, outcome.output);
        assertTrue(outcome.output.contains("have no ibv_wc IBV_QPS_RTS:"), outcome.output);
    }

    @Test
    void aPathOfTheMachineIsRefused() throws Exception {
        Outcome outcome = checkWith("echo '// /usr/include/infiniband/verbs.h' >> \"$out/ibv_wc.java\"");
        assertEquals(2, outcome.status, outcome.output);
        assertTrue(outcome.output.contains("a path of this machine"), outcome.output);
    }

    @Test
    void aJextractThatBindsFunctionsOtherwiseIsRefused() throws Exception {
        Outcome outcome = checkWith("sed -i 's/static class Bound {/static class Other {/' \"$out/rdma_core_h.java\"");
        assertEquals(2, outcome.status, outcome.output);
        assertTrue(outcome.output.contains("binds functions in a way that this script does not know"), outcome.output);
    }

    @Test
    void anotherJextractIsSaid() throws Exception {
        Outcome outcome = checkWith(":");
        assertEquals(0, outcome.status, outcome.output);
        assertTrue(
                outcome.output.contains("the committed sources were made with jextract " + MADE + ", here is jextract "
                        + "unknown and rdma-core "),
                outcome.output);
    }

    @Test
    void anotherRdmaCoreIsSaid() throws Exception {
        Path home = copyOfTheRepository();
        replace(home.resolve(INCLUDES), " and rdma-core ", " and rdma-core 1.");
        Outcome outcome = script(home, standInInAClone(":").toString(), System.getenv("PATH"), "--check");
        assertEquals(0, outcome.status, outcome.output);
        assertTrue(outcome.output.contains(" and rdma-core 1."), outcome.output);
        assertTrue(outcome.output.matches("(?s).*, here is jextract [0-9a-f]{40} and rdma-core [0-9.]+\\.\n.*"),
                outcome.output);
    }

    @Test
    void writingRecordsWhatTheSourcesWereMadeWith() throws Exception {
        Path home = copyOfTheRepository();
        Files.delete(home.resolve(SOURCES).resolve("ibv_wc.java"));
        Path standIn = standInInAClone(":");
        Outcome outcome = script(home, standIn.toString(), System.getenv("PATH"));
        assertEquals(0, outcome.status, outcome.output);
        assertTrue(Files.exists(home.resolve(SOURCES).resolve("ibv_wc.java")));
        String head = Files.readAllLines(home.resolve(INCLUDES)).getFirst();
        assertTrue(head.matches("# Made with jextract [0-9a-f]{40} and rdma-core [0-9.]+:.*"), head);
        assertFalse(head.contains(MADE.split(" ")[0]), head);
        // What it wrote is what it looks for.
        outcome = script(home, standIn.toString(), System.getenv("PATH"), "--check");
        assertFalse(outcome.output.contains("were made with"), outcome.output);

        Files.writeString(standIn, "\n", StandardOpenOption.APPEND);
        outcome = script(home, standIn.toString(), System.getenv("PATH"), "--check");
        assertTrue(outcome.output.contains("-dirty and rdma-core "), outcome.output);
    }

    @Test
    void nothingIsWrittenByAJextractWithoutACommit() throws Exception {
        assumeHeaders();
        Path home = copyOfTheRepository();
        Outcome outcome = script(home, standIn(folder, ":").toString(), System.getenv("PATH"));
        assertEquals(2, outcome.status, outcome.output);
        assertTrue(outcome.output.contains("made with jextract unknown and rdma-core "), outcome.output);
    }

    @Test
    void theCommittedSourcesAreWhatJextractGives() throws Exception {
        String jextract = System.getenv("JEXTRACT");
        assumeTrue(jextract != null, "skipped: JEXTRACT is not set");
        assumeHeaders();
        Outcome outcome = script(jextract, System.getenv("PATH"), "--check");
        assertEquals(0, outcome.status, outcome.output);
    }

    private Outcome checkWith(String damage) throws Exception {
        assumeHeaders();
        return script(standIn(folder, damage).toString(), System.getenv("PATH"), "--check");
    }

    /** A copy of what the script reads and writes. */
    private Path copyOfTheRepository() throws IOException {
        Path home = folder.resolve("copy");
        for (String path : List.of("jextract.sh", INCLUDES)) {
            Files.createDirectories(home.resolve(path).getParent());
            Files.copy(HOME.resolve(path), home.resolve(path), StandardCopyOption.COPY_ATTRIBUTES);
        }
        Path sources = Files.createDirectories(home.resolve(SOURCES));
        try (Stream<Path> files = Files.list(HOME.resolve(SOURCES))) {
            for (Path file : files.toList()) {
                Files.copy(file, sources.resolve(file.getFileName()));
            }
        }
        return home;
    }

    /** As jextract lies in the clone that it was built in. */
    private Path standInInAClone(String damage) throws Exception {
        assumeHeaders();
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/git")), "skipped: no git");
        Path clone = folder.resolve("clone");
        Path tool = clone.resolve("src/main/java/org/openjdk/jextract/JextractTool.java");
        Files.createDirectories(tool.getParent());
        Files.writeString(tool, "class JextractTool {}\n");
        Path standIn = standIn(Files.createDirectories(clone.resolve("build/jextract/bin")), damage);
        for (List<String> command : List.of(List.of("init", "-q"), List.of("add", "."),
                List.of("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "all"))) {
            List<String> git = new ArrayList<>(List.of("git", "-C", clone.toString()));
            git.addAll(command);
            assertEquals(0, new ProcessBuilder(git).inheritIO().start().waitFor(), git.toString());
        }
        return standIn;
    }

    private static void replace(Path file, String what, String with) throws IOException {
        String text = Files.readString(file);
        assertTrue(text.contains(what), what);
        Files.writeString(file, text.replace(what, with));
    }

    private static String made() {
        try {
            String head = Files.readAllLines(HOME.resolve(INCLUDES)).getFirst();
            return head.substring("# Made with jextract ".length(), head.indexOf(':'));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path standIn(Path folder, String damage) throws IOException {
        Path standIn = Files.writeString(folder.resolve("jextract"), """
                #!/bin/sh
                out=$2/dev/verbena/verbs/abi
                mkdir -p "$out" && cp '%s'/*.java "$out"
                %s
                """.formatted(HOME.resolve(SOURCES), damage));
        assertTrue(standIn.toFile().setExecutable(true));
        return standIn;
    }

    private static void assumeHeaders() {
        for (String header : List.of("infiniband/verbs.h", "rdma/rdma_cma.h")) {
            assumeTrue(Files.exists(Path.of("/usr/include", header)),
                    "skipped: no " + header + " (Debian: libibverbs-dev, librdmacm-dev)");
        }
    }

    private Outcome script(String jextract, String path, String argument) throws IOException, InterruptedException {
        return script(HOME, jextract, path, argument);
    }

    private Outcome script(Path home, String jextract, String path, String... arguments)
            throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        List<String> command = new ArrayList<>(List.of("/bin/bash", home.resolve("jextract.sh").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("PATH", path);
        builder.environment().remove("JEXTRACT");
        if (jextract != null) {
            builder.environment().put("JEXTRACT", jextract);
        }
        Process process = builder.start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("jextract.sh did not end within 60 s");
        }
        return new Outcome(process.exitValue(), Files.readString(output));
    }
}
