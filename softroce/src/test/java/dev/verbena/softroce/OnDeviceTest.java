package dev.verbena.softroce;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * All tests of classes called *OnDevice, of all modules, in guests, on the devices of both drivers; or here, where VERBENA_TEST_DEVICE
 * names an RDMA device of this machine. Each of them appears by its name, with its device and what it had to say.
 *
 * <p>
 * The guests are started together, as far as there are slots for them, when the first has ended.
 */
class OnDeviceTest {
    private static final String DEVICE = "VERBENA_TEST_DEVICE";
    /** All of them together. One that hangs is ended, and named, long before: see {@link OnDeviceRun}. */
    private static final Duration TIMEOUT = Duration.ofMinutes(30);
    private static final String DEVICE_HERE = System.getenv(DEVICE);
    private static final List<OnDeviceShare> SHARES = new ArrayList<>();

    @BeforeAll
    static void startAll() throws Exception {
        if (DEVICE_HERE != null) {
            return;
        }
        List<String> classes = OnDeviceRun.classes(Guests.HOME, System.getProperty("verbena.onDevice", ""));
        for (String device : System.getProperty("verbena.onDevice.devices", "rxe0,siw0").split(",")) {
            if (Guests.have(device)) {
                SHARES.addAll(OnDeviceShare.of(device, classes));
            }
        }
        for (OnDeviceShare share : SHARES) {
            share.start(TIMEOUT, share == SHARES.getFirst() ? null : SHARES.getFirst());
        }
    }

    @TestFactory
    List<DynamicNode> onRxe0() throws Exception {
        return inGuests("rxe0");
    }

    @TestFactory
    List<DynamicNode> onSiw0() throws Exception {
        return inGuests("siw0");
    }

    @TestFactory
    List<DynamicNode> onADeviceOfThisMachine() throws Exception {
        return DEVICE_HERE == null ? List.of() : here();
    }

    private static List<DynamicNode> inGuests(String device) throws Exception {
        if (DEVICE_HERE == null) {
            Guests.assumeTheyHave(device);
        }
        List<DynamicNode> nodes = new ArrayList<>();
        for (OnDeviceShare share : SHARES) {
            if (share.device().equals(device)) {
                nodes.addAll(nodes(device, share.classes(), share.results(), share.ended()));
            }
        }
        return nodes;
    }

    private static List<DynamicNode> here() throws Exception {
        if (!Files.exists(Path.of("/sys/class/infiniband", DEVICE_HERE))) {
            throw new AssertionError(DEVICE + "=" + DEVICE_HERE
                    + " is no RDMA device of this machine: name one of /sys/class/infiniband, or unset it to use a guest.");
        }
        List<String> classes = OnDeviceRun.classes(Guests.HOME, System.getProperty("verbena.onDevice", ""));
        OnDeviceRun run = OnDeviceRun.prepare(OnDeviceRun.FOLDER.resolve(DEVICE_HERE), classes);
        Path output = run.folder().resolve("output");
        Process process = new ProcessBuilder("timeout", "--kill-after=5", Long.toString(TIMEOUT.toSeconds()), "bash",
                "-c", run.command()).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        return nodes(DEVICE_HERE, classes, run.results(), new GuestRun(process.waitFor(), Files.readString(output),
                "It ran here, on device=" + DEVICE_HERE + ". "));
    }

    /** One container for each class; and, as the first of all, the run as a whole where it went wrong. */
    static List<DynamicNode> nodes(String device, List<String> classes, Map<String, List<TestResult>> results,
            GuestRun ended) {
        List<DynamicNode> nodes = new ArrayList<>();
        boolean explained = results.values().stream().flatMap(List::stream).anyMatch(TestResult::isFailed);
        if (ended.status() != 0 && !explained) {
            nodes.add(DynamicTest.dynamicTest("the run on " + device + " as a whole", ended::assertSucceeded));
        }
        for (String name : classes) {
            List<TestResult> ofClass = results.getOrDefault(name, List.of());
            List<DynamicTest> tests = new ArrayList<>();
            if (ofClass.isEmpty()) {
                tests.add(DynamicTest.dynamicTest(name + " ran on " + device, () -> {
                    throw new AssertionError(
                            name + " ran no test on " + device + ". " + ended.complaint() + ended.lastLines());
                }));
            }
            for (TestResult result : ofClass) {
                tests.add(DynamicTest.dynamicTest(result.displayName() + " on " + device, () -> result.check(device)));
            }
            nodes.add(dynamicContainer(name + " on " + device, tests));
        }
        return nodes;
    }
}
