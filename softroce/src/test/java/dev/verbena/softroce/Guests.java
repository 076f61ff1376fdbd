package dev.verbena.softroce;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.Assumptions;

/**
 * Micro-VMs with soft-RoCE and soft-iWARP, as tests want them: commands run as root on RDMA device rxe0 or siw0, on host1 or on host1
 * and host2, and see this machine's files. A test that uses them is skipped where they cannot work, and the reason is left for the
 * closing lines of {@code ./verbena test}.
 */
final class Guests {
    static final Path HOME = Path.of(System.getProperty("verbena.home"));
    /** The address by which rdma_cm finds its soft-iWARP. */
    static final String SIW0_OF_HOST1 = "198.18.0.1";
    static final Path TARGET = HOME.resolve("softroce/target");
    private static final Path SCRIPT = HOME.resolve("softroce/softroce");
    private static final int CANNOT_WORK = 3;
    /** Asked once each: it may have to reach the archive. */
    private static final Map<String, String> REASONS = new ConcurrentHashMap<>();

    private Guests() {}

    /** Kept until the build is cleaned, for who wants to know what happened. */
    private static Path newFolder() throws IOException {
        return Files.createTempDirectory(Files.createDirectories(TARGET.resolve("guests")), "run-");
    }

    /** Runs a command in one guest and waits for its end. */
    static GuestRun run(String command, Duration timeout) throws IOException, InterruptedException {
        try (RunningGuests guests = start(timeout, newFolder(), "run", command)) {
            return guests.await().getFirst();
        }
    }

    /** Likewise, with the folder in which the guest can leave files, $SOFTROCE_OUT. */
    static GuestRun run(String command, Duration timeout, Path out) throws IOException, InterruptedException {
        try (RunningGuests guests = start(timeout, out, "run", command)) {
            return guests.await().getFirst();
        }
    }

    /** Runs a command on each of two hosts and waits for the end of both. @return host1's and host2's */
    static List<GuestRun> pair(String first, String second, Duration timeout) throws IOException, InterruptedException {
        try (RunningGuests guests = startPair(first, second, timeout)) {
            return guests.await();
        }
    }

    /** Runs a command on host1, which may log in to both, and waits for its end. @return host1's and host2's */
    static List<GuestRun> pairBySsh(String command, Duration timeout) throws IOException, InterruptedException {
        try (RunningGuests guests = start(timeout, newFolder(), 2, List.of("--ssh", "pair", command))) {
            return guests.await();
        }
    }

    /** Likewise, for tests that do something to the hosts meanwhile. */
    static RunningGuests startPair(String first, String second, Duration timeout)
            throws IOException, InterruptedException {
        return start(timeout, newFolder(), "pair", first, second);
    }

    /** One of the script's commands, and what each host shall do. */
    static RunningGuests start(Duration timeout, Path out, String... words) throws IOException, InterruptedException {
        return start(timeout, out, words.length - 1, List.of(words));
    }

    /** Waits until there is a slot. */
    private static RunningGuests start(Duration timeout, Path out, int hosts, List<String> words)
            throws IOException, InterruptedException {
        assumeTheyWork();
        List<String> command = new ArrayList<>(List.of(SCRIPT.toString(), "--attached", "--timeout",
                Long.toString(timeout.toSeconds()), "--out", out.toString()));
        command.addAll(words);
        ProcessBuilder script = new ProcessBuilder(command).directory(HOME.toFile());
        Slots.OF_THIS_MACHINE.take(timeout);
        try {
            return new RunningGuests(script, out, hosts, Slots.OF_THIS_MACHINE::giveBack);
        } catch (Throwable e) {
            Slots.OF_THIS_MACHINE.giveBack();
            throw e;
        }
    }

    /** Skips the test that asks, where this machine cannot run guests. */
    static void assumeTheyWork() {
        assumeNoReason("");
    }

    /** Likewise, and where they have no such RDMA device. */
    static void assumeTheyHave(String device) {
        assumeTheyWork();
        assumeNoReason(device);
    }

    private static void assumeNoReason(String device) {
        String reason = reason(device);
        Assumptions.assumeTrue(reason.isEmpty(), reason);
    }

    /** Whether guests work and have such an RDMA device. */
    static boolean have(String device) {
        return reason("").isEmpty() && reason(device).isEmpty();
    }

    private static String reason(String device) {
        return REASONS.computeIfAbsent(device, Guests::askFor);
    }

    /** Why guests do not work or, where a device is named, have it not; empty where they do. */
    private static String askFor(String device) {
        List<String> command = new ArrayList<>(List.of(SCRIPT.toString(), "check"));
        if (!device.isEmpty()) {
            command.add(device);
        }
        try {
            Process check = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            String said = new String(check.getInputStream().readAllBytes()).strip();
            int status = check.waitFor();
            if (status != 0 && status != CANNOT_WORK) {
                throw new IllegalStateException(command + " failed: status=" + status + ", it said: " + said);
            }
            if (status == CANNOT_WORK) {
                leave("skipped: tests on " + (device.isEmpty() ? "an RDMA device" : device) + ". " + said + "\n");
            }
            return said;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** For the closing lines. */
    private static void leave(String line) throws IOException {
        Files.createDirectories(TARGET);
        Files.writeString(TARGET.resolve("skipped"), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Not asked for where guests do not work. */
    private static final class Slots {
        private static final GuestSlots OF_THIS_MACHINE = GuestSlots.ofThisMachine();
    }
}
