package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.TensorArena;

/** Where Java refuses native calls a device says what to start it with, each time and in one sentence; and that helps. */
class NativeAccessTest {
    private static final String REFUSED = "Java refuses native calls, so tensors cannot be sent: start java with"
            + " --enable-native-access=ALL-UNNAMED, or with"
            + " --enable-native-access=dev.verbena.allocator,dev.verbena.bindings,dev.verbena.transfer where Verbena"
            + " is on the module path.";
    private static final Pattern PERMISSION = Pattern.compile("--enable-native-access=[\\w-]+");

    /** Run in processes of its own. */
    static final class Tries {
        private Tries() {}

        public static void main(String[] arguments) {
            RdmaDeviceOptions options = RdmaDeviceOptions.defaults();
            say(() -> RdmaDevice.create(options.withFabric("shm")));
            say(() -> RdmaDevice.create(options));
            Fabrics.all().stream().filter(each -> each.name().equals("shm"))
                    .forEach(shm -> System.out.println(shm.unavailableReason(NetworkOptions.defaults())));
            say(() -> TensorArena.create(new OffHeapSlabSource(), 1 << 20, 1 << 20));
        }

        private static void say(Supplier<AutoCloseable> tried) {
            try (AutoCloseable _ = tried.get()) {
                System.out.println("done");
            } catch (Exception | Error e) {
                System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
            }
        }
    }

    /** From Java 24 on an illegal call is refused only when asked for; before, whenever another module is named. */
    @Test
    void refusedUntilWhatTheMessageSaysIsDone() throws Exception {
        boolean isAskedFor = Runtime.version().feature() >= 24;
        String refusing = isAskedFor ? "--illegal-native-access=deny" : "--enable-native-access=java.logging";
        List<String> said = said(refusing);
        assertEquals(List.of("TransferException: " + REFUSED, "TransferException: " + REFUSED, REFUSED),
                said.subList(0, 3));
        assertTrue(said.get(3).startsWith("IllegalCallerException: Java refuses native calls, "), said.get(3));
        Matcher permission = PERMISSION.matcher(said.getFirst());
        assertTrue(permission.find(), said.getFirst());
        assertEquals(List.of("done", "done", "null", "done"),
                isAskedFor ? said(refusing, permission.group()) : said(permission.group()));
    }

    private static List<String> said(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:+UseSerialGC", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("surefire.test.class.path",
                System.getProperty("java.class.path")), Tries.class.getName()));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output.lines().toList();
    }
}
