package dev.verbena.softroce;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * All tests of classes called *OnDevice, of all modules, in one guest; or here, where VERBENA_TEST_DEVICE names an RDMA device of
 * this machine. Each of them appears by its name, with what it had to say.
 */
class OnDeviceTest {
    private static final String DEVICE = "VERBENA_TEST_DEVICE";
    private static final String GUEST_DEVICE = "rxe0";
    /** All of them together. One that hangs is ended, and named, long before: see {@link OnDeviceRun}. */
    private static final Duration TIMEOUT = Duration.ofMinutes(15);

    @TestFactory
    List<DynamicNode> onDevice() throws Exception {
        List<String> classes = OnDeviceRun.classes(Guests.HOME, System.getProperty("verbena.onDevice", ""));
        OnDeviceRun run = OnDeviceRun.prepare(Guests.TARGET.resolve("on-device"), classes);
        String device = System.getenv(DEVICE);
        GuestRun ended = device == null
                ? Guests.run(DEVICE + "=" + GUEST_DEVICE + " " + run.command(), TIMEOUT, run.folder())
                : runHere(device, run);
        return nodes(classes, run.results(), ended);
    }

    private static GuestRun runHere(String device, OnDeviceRun run) throws Exception {
        if (!Files.exists(Path.of("/sys/class/infiniband", device))) {
            throw new AssertionError(DEVICE + "=" + device
                    + " is no RDMA device of this machine: name one of /sys/class/infiniband, or unset it to use a guest.");
        }
        Path output = run.folder().resolve("output");
        Process process = new ProcessBuilder("timeout", "--kill-after=5", Long.toString(TIMEOUT.toSeconds()), "bash",
                "-c", run.command()).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        return new GuestRun(process.waitFor(), Files.readString(output), "It ran here, on device=" + device + ". ");
    }

    /** One container for each class; and, as the first of all, the run as a whole where it went wrong. */
    static List<DynamicNode> nodes(List<String> classes, Map<String, List<TestResult>> results, GuestRun ended) {
        List<DynamicNode> nodes = new ArrayList<>();
        boolean explained = results.values().stream().flatMap(List::stream).anyMatch(TestResult::isFailed);
        if (ended.status() != 0 && !explained) {
            nodes.add(DynamicTest.dynamicTest("the run as a whole", ended::assertSucceeded));
        }
        for (String name : classes) {
            List<TestResult> ofClass = results.getOrDefault(name, List.of());
            List<DynamicTest> tests = new ArrayList<>();
            if (ofClass.isEmpty()) {
                tests.add(DynamicTest.dynamicTest(name + " ran", () -> {
                    throw new AssertionError(name + " ran no test. " + ended.complaint() + ended.lastLines());
                }));
            }
            for (TestResult result : ofClass) {
                tests.add(DynamicTest.dynamicTest(result.displayName(), result::check));
            }
            nodes.add(dynamicContainer(name, tests));
        }
        return nodes;
    }
}
