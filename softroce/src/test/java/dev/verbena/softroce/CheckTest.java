package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where guests cannot work "softroce check" says so in a sentence: on a machine with tools that say what it should be. */
class CheckTest {
    @TempDir
    private Path folder;
    private Path tools;

    @BeforeEach
    void aMachineOnWhichItWouldWork() throws IOException {
        tools = Files.createDirectories(folder.resolve("tools"));
        for (String tool : List.of("bash", "dirname", "readlink", "cat", "cksum", "tr", "wc", "grep", "timeout",
                "mkdir", "flock", "env")) {
            tool(tool, "exec /usr/bin/" + tool + " \"$@\"");
        }
        tool("uname", "echo x86_64");
        tool("id", "echo 0");
        tool("awk", "echo 8000");
        tool("apt-get", "exit 0");
        tool("dpkg-query", "exit 1");
        tool("sleep", "exit 0");
    }

    @Test
    void anotherProcessorIsAReason() throws Exception {
        tool("uname", "echo aarch64");
        reason("Soft-RoCE in a micro-VM needs an x86-64 machine, and this is machine=aarch64.");
    }

    @Test
    void notBeingRootIsAReason() throws Exception {
        tool("id", "echo 1000");
        reason("Soft-RoCE in a micro-VM needs root, to install packages and to show the guest all files: run it as root (now uid=1000).");
    }

    @Test
    void anotherSystemIsAReason() throws Exception {
        Files.delete(tools.resolve("apt-get"));
        ScriptRun run = check();
        assertEquals(3, run.status());
        assertTrue(run.output().startsWith("Soft-RoCE in a micro-VM takes its kernel from the archive of Debian 12"),
                run.output());
    }

    @Test
    void littleMemoryIsAReason() throws Exception {
        assumeDebian();
        tool("awk", "echo 1234");
        reason("Soft-RoCE in a micro-VM needs 5120 MiB of memory, and only available=1234 MiB are left: end something.");
    }

    @Test
    void anArchiveOutOfReachIsAReason() throws Exception {
        assumeDebian();
        tool("apt-get", "exit 100");
        reason("Soft-RoCE in a micro-VM needs packages from Debian's archive, which cannot be reached: see what apt-get update says.");
        ScriptRun setup = ScriptRun.of(folder, environment(), "setup");
        assertEquals(125, setup.status());
        assertTrue(setup.errors().startsWith("softroce: Soft-RoCE in a micro-VM needs packages"), setup.errors());
    }

    @Test
    void somebodyElsesUseOfAptIsWaitedFor() throws Exception {
        assumeDebian();
        tool("apt-get",
                "if [ ! -e tried ]; then echo > tried; echo 'E: Could not get lock /var/lib/apt/lists/lock.'; exit 100; fi");
        assertEquals(new ScriptRun(0, "", ""), check());
        assertTrue(Files.exists(folder.resolve("tried")));
    }

    @Test
    void nothingIsSaidWhereItWorks() throws Exception {
        assumeDebian();
        assertEquals(new ScriptRun(0, "", ""), check());
    }

    @Test
    void asManyGuestsAtOnceAsThereAreProcessorsAndMemory() throws Exception {
        tool("nproc", "echo 2");
        for (int[] each : new int[][]{{4_000, 1}, {8_000, 1}, {12_000, 2}, {64_000, 2}}) {
            tool("awk", "echo " + each[0]);
            assertEquals(new ScriptRun(0, each[1] + "\n", ""), ScriptRun.of(folder, environment(), "slots"));
        }
    }

    @Test
    void softIwarpThatCannotBeBuiltSaysWhichStepFailed() throws Exception {
        for (String tool : List.of("cut", "tail", "paste")) {
            tool(tool, "exec /usr/bin/" + tool + " \"$@\"");
        }
        for (String tool : List.of("gcc-12", "make")) {
            tool(tool, "exit 0");
        }
        tool("apt-get", "echo no space left; exit 100");
        ProcessBuilder build = new ProcessBuilder(ScriptRun.SCRIPT.resolveSibling("build-siw").toString(),
                "6.1.0-44-amd64",
                "6.1.164-1", folder.resolve("siw").toString(), "apt-get").redirectErrorStream(true);
        build.environment().putAll(environment());
        Process process = build.start();
        assertEquals("fetching sources and headers failed: no space left\n",
                new String(process.getInputStream().readAllBytes()));
        assertEquals(1, process.waitFor());
    }

    @Test
    void aStepOfTheSetUpThatFailsSaysWhich() throws Exception {
        assumeDebian();
        tool("apt-get", "for word; do if [ \"$word\" = install ]; then echo no space left; exit 100; fi; done");
        ScriptRun run = ScriptRun.of(folder, environment(), "setup");
        assertEquals(125, run.status());
        assertTrue(run.errors().contains("softroce: setup: installing packages failed: ")
                && run.errors().contains(" said: no space left\n"), run.errors());
    }

    @Test
    void wrongUseIsStatusTwo() throws Exception {
        for (List<String> words : List.of(List.<String>of(), List.of("run"), List.of("pair"),
                List.of("pair", "a", "b", "c"), List.of("--ssh", "run", "a"), List.of("test"),
                List.of("--timeout", "0", "run", "a"), List.of("--timeout"), List.of("--speed", "1", "run", "a"),
                List.of("--device", "mlx5_0", "test", "a"))) {
            ScriptRun run = ScriptRun.of(folder, environment(), words.toArray(String[]::new));
            assertEquals(2, run.status(), words::toString);
            assertEquals(1, run.errors().lines().count(), run.errors());
        }
    }

    private void reason(String sentence) throws Exception {
        assertEquals(new ScriptRun(3, sentence + "\n", ""), check());
    }

    private ScriptRun check() throws Exception {
        return ScriptRun.of(folder, environment(), "check");
    }

    private Map<String, String> environment() {
        return Map.of("PATH", tools.toString(), "SOFTROCE_CACHE", folder.resolve("cache").toString());
    }

    private static void assumeDebian() throws IOException {
        Path release = Path.of("/etc/os-release");
        assumeTrue(Files.exists(release) && Files.readString(release).contains("VERSION_ID=\"12\""), "not Debian 12");
    }

    private void tool(String name, String body) throws IOException {
        Path tool = tools.resolve(name);
        Files.writeString(tool, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
