package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

/** Where Java refuses native calls an error says what to start it with, each time and in one sentence; and that helps. */
class NativeAccessTest {
    private static final String REFUSED = "IllegalCallerException: Java refuses native calls, so there is no memory for tensors: start java"
            + " with --enable-native-access=ALL-UNNAMED, or with --enable-native-access=dev.verbena.allocator where"
            + " Verbena is on the module path.";
    private static final int TRIES = 5;

    /** Run in processes of its own. */
    static final class Tries {
        private Tries() {}

        public static void main(String[] arguments) {
            SlabSource source = new OffHeapSlabSource();
            say(() -> TensorArena.create(source, 1 << 20, 1 << 20));
            say(() -> TensorArena.create(source, 1 << 20, 1 << 20));
            say(() -> DebugArena.create(source, 1 << 20, 1 << 20));
            say(() -> source.acquire(4096));
            say(() -> new OffHeapSlabSource(SlabOptions.defaults().withPages(PageKind.TRANSPARENT_HUGE)).acquire(4096));
        }

        private static void say(Supplier<Object> tried) {
            try {
                System.out.println(tried.get() == null ? "nothing" : "done");
            } catch (RuntimeException | Error e) {
                System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
            }
        }
    }

    @Test
    void onTheClassPath() throws Exception {
        assertRefusedUntil("--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Tries.class.getName());
    }

    @Test
    void onTheModulePath() throws Exception {
        assertRefusedUntil("--enable-native-access=dev.verbena.allocator", "-p", folderOf(OffHeapSlabSource.class),
                "--patch-module", "dev.verbena.allocator=" + folderOf(Tries.class), "-m",
                "dev.verbena.allocator/" + Tries.class.getName());
    }

    /** From Java 24 on an illegal call is refused only when asked for; before, whenever another module is named. */
    private static void assertRefusedUntil(String permission, String... program) throws Exception {
        boolean isAskedFor = Runtime.version().feature() >= 24;
        List<String> refusing = List.of(isAskedFor ? "--illegal-native-access=deny"
                : "--enable-native-access=java.logging");
        assertEquals(Collections.nCopies(TRIES, REFUSED), said(refusing, program));
        List<String> permitting = isAskedFor ? List.of(refusing.getFirst(), permission) : List.of(permission);
        assertEquals(Collections.nCopies(TRIES, "done"), said(permitting, program));
    }

    private static List<String> said(List<String> options, String... program) throws Exception {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:+UseSerialGC", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1"));
        command.addAll(options);
        command.addAll(List.of(program));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output.lines().toList();
    }

    private static String folderOf(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    }
}
