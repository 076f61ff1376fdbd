package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The training program over RDMA, within a host and across two, on soft-RoCE and on soft-iWARP. Losses are compared with those over
 * shared memory in the same kind of guest: another processor may round otherwise.
 */
class TrainingOnVerbsTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(20);
    /** One compiler is enough for so short a program, and halves what it costs a guest to start one. */
    private static final String ENVIRONMENT = "export JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1 && ";
    private static final Pattern LOSSES = Pattern.compile("\"lossCurve\" : \\[([^\\]]*)\\]");
    private static final Path IMAGES = Guests.TARGET.resolve("few-digits");
    private static final String OPTIONS = " --workers=1 --iterations=12 --seed=3 --data=" + IMAGES;
    private static final String CLUSTER = " --cluster=server:0=host1:7000,worker:0=host2:7000 --fabric=verbs";
    private static final String SERVER = ENVIRONMENT + "./verbena task --task=server:0 --listen=0.0.0.0:7000" + CLUSTER
            + OPTIONS;
    private static final String WORKER = ENVIRONMENT + "./verbena task --task=worker:0 --listen=0.0.0.0:7000" + CLUSTER
            + OPTIONS;
    private static final String ON_SIW0 = " --rdma-device=siw0";
    private static final String OUT = "$SOFTROCE_OUT";

    @TempDir
    private static Path oneHost;
    @TempDir
    private static Path oneHostWithSiw0;
    private static GuestRun onOneHost;
    private static GuestRun onSiw0;

    @TempDir
    private Path out;

    /** Guests are slow, and what they build is thrown away. */
    @BeforeAll
    static void buildTheProgramAndTrainOnOneHost() throws Exception {
        ProgramBuild.run();
        FewDigits.write(Files.createDirectories(IMAGES));
        CompletableFuture<GuestRun> beside = Guests.have("siw0")
                // Not in the pool of all: who waits for a slot there keeps it from telling that processes have ended.
                ? CompletableFuture.supplyAsync(TrainingOnVerbsTest::trainOnSiw0, Thread.ofPlatform().daemon()::start)
                : CompletableFuture.completedFuture(null);
        onOneHost = Guests.run(ENVIRONMENT + "./verbena train --fabric=shm --json=" + OUT + "/shm.json" + OPTIONS
                + " && ./verbena train --fabric=verbs --json=" + OUT + "/verbs.json" + OPTIONS, TIMEOUT, oneHost);
        onSiw0 = beside.get();
    }

    private static GuestRun trainOnSiw0() {
        try {
            return Guests.run(ENVIRONMENT + "./verbena train --fabric=verbs --json=" + OUT + "/verbs.json" + OPTIONS
                    + ON_SIW0, TIMEOUT, oneHostWithSiw0);
        } catch (IOException | InterruptedException e) {
            throw new CompletionException(e);
        }
    }

    @Test
    void withinAHostTheLossesAreThoseOverSharedMemory() throws Exception {
        String verbs = losses(oneHost.resolve("verbs.json"));
        assertEquals(overSharedMemory(), verbs);
        assertEquals(12, verbs.split(",").length);
        assertTrue(Files.readString(oneHost.resolve("verbs.json")).contains("\"fabric\" : \"verbs\""));
    }

    @Test
    void withinAHostTheLossesOnSoftIwarpAreThoseOverSharedMemory() throws Exception {
        Guests.assumeTheyHave("siw0");
        onSiw0.assertSucceeded();
        assertEquals(overSharedMemory(), losses(oneHostWithSiw0.resolve("verbs.json")));
    }

    @Test
    void acrossTwoHostsTheLossesOnSoftIwarpAreTheSame() throws Exception {
        Guests.assumeTheyHave("siw0");
        List<GuestRun> runs = pair(SERVER + ON_SIW0, WORKER + ON_SIW0 + " --json=" + OUT + "/siw0.json");
        assertAll(runs.stream().map(run -> run::assertSucceeded));
        assertEquals(overSharedMemory(), losses(out.resolve("siw0.json")));
    }

    @Test
    void acrossTwoHostsAndAcrossALossyNetworkTheLossesAreTheSame() throws Exception {
        List<GuestRun> runs = pair(
                SERVER + " && tc qdisc add dev eth0 root netem loss 1% && " + SERVER
                        + " && tc -s qdisc show dev eth0",
                WORKER + " --json=" + OUT + "/two.json && tc qdisc add dev eth0 root netem loss 1% && " + WORKER
                        + " --json=" + OUT + "/lossy.json");
        assertAll(runs.stream().map(run -> run::assertSucceeded));
        assertEquals(overSharedMemory(), losses(out.resolve("two.json")));
        assertEquals(overSharedMemory(), losses(out.resolve("lossy.json")));
        Matcher dropped = Pattern.compile("dropped (\\d+)").matcher(runs.getFirst().output());
        assertTrue(dropped.find(), runs.getFirst().output());
        assertNotEquals("0", dropped.group(1), "no packet was lost");
    }

    @Test
    void aHostThatFailsIsNamedAndTheOtherEnds() throws Exception {
        try (RunningGuests guests = Guests.start(TIMEOUT, out, "pair", "echo up; " + endless(SERVER)
                + "; echo status=$?", endless(WORKER) + " --progress")) {
            guests.awaitOutput(2, "iteration");
            guests.kill(2);
            GuestRun survivor = guests.await().getFirst().assertSucceeded();
            assertTrue(survivor.output().contains("status=1"), survivor.output());
            assertTrue(survivor.output().contains("worker:0"), survivor.output());
        }
    }

    private static String endless(String command) {
        return command.replace("--iterations=12", "--iterations=1000000");
    }

    private List<GuestRun> pair(String first, String second) throws IOException, InterruptedException {
        try (RunningGuests guests = Guests.start(TIMEOUT, out, "pair", first, second)) {
            return guests.await();
        }
    }

    private static String overSharedMemory() throws IOException {
        onOneHost.assertSucceeded();
        return losses(oneHost.resolve("shm.json"));
    }

    private static String losses(Path report) throws IOException {
        String text = Files.readString(report);
        Matcher losses = LOSSES.matcher(text);
        assertTrue(losses.find(), text);
        return losses.group(1).strip();
    }
}
