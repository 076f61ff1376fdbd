package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.verbs.abi.rdma_core_h;
import dev.verbena.verbs.ffi.LibIbverbs;
import dev.verbena.verbs.ffi.Errno;
import dev.verbena.verbs.ffi.Availability;

class VerbsTest {
    /** Run in a process of its own: Java that refuses native calls must be told apart from a broken binding. */
    static final class PrintReason {
        private PrintReason() {}

        public static void main(String[] arguments) {
            System.out.println(VerbsDevice.list() + " " + Verbs.unavailableReason());
        }
    }

    @Test
    void thereAreDevicesOrThereIsAReason() {
        String reason = Verbs.unavailableReason();
        List<VerbsDevice> devices = VerbsDevice.list();
        assertEquals(devices.isEmpty(), reason != null, "reason=" + reason + " devices=" + devices);
        if (reason != null) {
            assertTrue(reason.endsWith(".") && !reason.contains("\n"), reason);
        }
    }

    @Test
    void aKernelWithoutRdmaIsTheReason() {
        assumeTrue(Availability.problem() == null, "skipped: " + Availability.problem());
        assumeTrue(!Files.exists(Path.of("/sys/class/infiniband_verbs")), "skipped: this machine's kernel has RDMA");
        assertTrue(Verbs.unavailableReason().startsWith("This machine's kernel has no RDMA support loaded: "),
                Verbs.unavailableReason());
    }

    @Test
    void aDeviceThatIsGoneIsNamed() {
        assumeTrue(Availability.problem() == null, "skipped: " + Availability.problem());
        VerbsDevice gone = new VerbsDevice("gone0", NodeType.CHANNEL_ADAPTER, TransportType.INFINIBAND, new Guid(1));
        VerbsException failed = assertThrows(VerbsException.class, gone::query);
        assertEquals(rdma_core_h.ENODEV(), failed.errno());
        assertTrue(failed.getMessage().contains("device=gone0"), failed.getMessage());
    }

    @Test
    void javaThatRefusesNativeCallsIsTheReason(@TempDir Path folder) throws IOException, InterruptedException {
        // From Java 24 on an illegal call is refused only when asked for; before, whenever another module is named.
        String refuse = Runtime.version().feature() >= 24 ? "--illegal-native-access=deny"
                : "--enable-native-access=java.logging";
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), refuse,
                "-Xshare:auto",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
                PrintReason.class.getName())
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals("[] Java refuses native calls, so library=libibverbs.so.1 cannot be opened: start java with"
                + " --enable-native-access=ALL-UNNAMED, or with --enable-native-access=dev.verbena.bindings where Verbena is on the module"
                + " path.\n", Files.readString(output));
    }

    /**
     * A verb that is called and not looked for first would be an error out of a static initialiser on an old rdma-core.
     */
    @Test
    void everyVerbThatIsCalledIsLookedForFirst() throws IOException {
        Set<String> called = new TreeSet<>();
        Path sources = Path.of(System.getProperty("verbena.home"), "bindings/src/main/java/dev/verbena/verbs");
        try (var files = Files.walk(sources)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java"))
                    .filter(f -> !f.startsWith(sources.resolve("abi"))).toList()) {
                String code = Files.readString(file).replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("//.*", "")
                        .replaceAll("\"[^\"\n]*\"", "");
                Matcher call = Pattern.compile("(?<![.\\w])(_?ibv_\\w+)(?=\\(|\\$address\\()").matcher(code);
                while (call.find()) {
                    called.add(call.group(1));
                }
            }
        }
        assertEquals(called, new TreeSet<>(LibIbverbs.Symbols.REQUIRED));
        assertFalse(called.isEmpty());
    }

    @Test
    void everyErrnoHasAName() {
        VerbsException failed = new VerbsException("ibv_open_device", "device=rxe0", rdma_core_h.EACCES(), null);
        assertEquals(
                "ibv_open_device failed: device=rxe0, errno=13 (EACCES, permission denied): let this user read and write the devices under"
                        + " /dev/infiniband.",
                failed.getMessage());
        assertEquals("ibv_open_device", failed.verb());
        assertTrue(new VerbsException("v", "a=b", 4242, null).getMessage().contains("errno=4242 (not a number"));
        assertNotNull(Errno.remedy(rdma_core_h.ENOENT()));
        assertNull(Errno.remedy(rdma_core_h.EINVAL()));
    }
}
