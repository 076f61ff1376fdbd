package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** jextract.sh, with a stand-in for jextract that hands back the committed sources, intact or damaged. */
class JextractScriptTest {
    private static final Path HOME = Path.of(System.getProperty("verbena.home"));
    private static final String SOURCES = "bindings/src/main/java/dev/verbena/verbs/abi";

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
    void theCommittedSourcesAreWhatJextractGives() throws Exception {
        String jextract = System.getenv("JEXTRACT");
        assumeTrue(jextract != null, "skipped: JEXTRACT is not set");
        assumeHeaders();
        Outcome outcome = script(jextract, System.getenv("PATH"), "--check");
        assertEquals(0, outcome.status, outcome.output);
    }

    private Outcome checkWith(String damage) throws Exception {
        assumeHeaders();
        Path standIn = Files.writeString(folder.resolve("jextract"), """
                #!/bin/sh
                out=$2/dev/verbena/verbs/abi
                mkdir -p "$out" && cp '%s'/*.java "$out"
                %s
                """.formatted(HOME.resolve(SOURCES), damage));
        assertTrue(standIn.toFile().setExecutable(true));
        return script(standIn.toString(), System.getenv("PATH"), "--check");
    }

    private static void assumeHeaders() {
        for (String header : List.of("infiniband/verbs.h", "rdma/rdma_cma.h")) {
            assumeTrue(Files.exists(Path.of("/usr/include", header)),
                    "skipped: no " + header + " (Debian: libibverbs-dev, librdmacm-dev)");
        }
    }

    private Outcome script(String jextract, String path, String argument) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder("/bin/bash", HOME.resolve("jextract.sh").toString(), argument)
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
