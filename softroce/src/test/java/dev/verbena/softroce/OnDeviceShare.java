package dev.verbena.softroce;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * What one guest runs of the tests on a device: those that start processes of their own, which takes long there, or the others. Guests run
 * side by side.
 *
 * <p>
 * Owner: the test that makes it, which starts it once and then asks. Threading: confined to that test's thread.
 */
final class OnDeviceShare {
    private static final List<String> OF_PROCESSES = List.of(".VerbsProgramsOnDevice", ".VerbsStoppedPeerOnDevice");

    private final String device;
    private final String name;
    private final List<String> classes;
    private final CompletableFuture<GuestRun> ended = new CompletableFuture<>();
    private final CompletableFuture<Void> archived = new CompletableFuture<>();
    private OnDeviceRun run;

    private OnDeviceShare(String device, String name, List<String> classes) {
        this.device = device;
        this.name = name;
        this.classes = classes;
    }

    /** All of the classes, the longest share first. */
    static List<OnDeviceShare> of(String device, List<String> classes) {
        Predicate<String> isOfProcesses = each -> OF_PROCESSES.stream().anyMatch(each::endsWith);
        List<OnDeviceShare> shares = new ArrayList<>();
        add(shares, device, "", classes.stream().filter(isOfProcesses.negate()).toList());
        add(shares, device, "-processes", classes.stream().filter(isOfProcesses).toList());
        return shares;
    }

    private static void add(List<OnDeviceShare> shares, String device, String suffix, List<String> classes) {
        if (!classes.isEmpty()) {
            shares.add(new OnDeviceShare(device, device + suffix, classes));
        }
    }

    String device() {
        return device;
    }

    List<String> classes() {
        return classes;
    }

    /**
     * Starts a guest, when there is a slot for it, and returns at once.
     *
     * @param first whose guest shall have ended before, so that this one starts with the classes that it loaded; null for none
     */
    void start(Duration timeout, OnDeviceShare first) {
        Thread.ofPlatform().daemon().name("tests on " + name).start(() -> {
            try {
                if (first != null) {
                    first.archived.join();
                }
                run = OnDeviceRun.prepare(OnDeviceRun.FOLDER.resolve(name), classes);
                GuestRun guest = Guests.run("VERBENA_TEST_DEVICE=" + device + " " + run.command(), timeout,
                        run.folder());
                if (first == null) {
                    run.archive();
                }
                ended.complete(guest);
            } catch (Throwable e) {
                ended.completeExceptionally(e);
            } finally {
                archived.complete(null);
            }
        });
    }

    /** How its guest ended; waits for that. */
    GuestRun ended() throws Exception {
        return ended.get();
    }

    /** What ran, by class, once the guest has ended; waits for that. */
    Map<String, List<TestResult>> results() throws Exception {
        ended.get();
        return run.results();
    }
}
