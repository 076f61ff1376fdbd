package dev.verbena.training.blas;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.training.HeapOfTensors;

class NativeBundleTest {
    /** A small one of the real ones. */
    private static final NativeBundle BUNDLE = new NativeBundle(OpenBlasLibrary.BUNDLE.resourceDirectory(),
            List.of("libquadmath.so.0"));

    @TempDir
    Path directory;

    @Test
    void unpacksOnceAndLeavesNothingElse() throws IOException {
        Path target = directory.resolve("a/b");
        BUNDLE.unpackInto(target);
        Path file = target.resolve("libquadmath.so.0");
        assertArrayEquals(packed(), Files.readAllBytes(file));
        FileTime past = FileTime.fromMillis(1_000_000);
        Files.setLastModifiedTime(file, past);
        BUNDLE.unpackInto(target);
        assertEquals(past, Files.getLastModifiedTime(file), "a whole file is not touched again");
        try (var files = Files.list(target)) {
            assertEquals(List.of("libquadmath.so.0", "lock"),
                    files.map(path -> path.getFileName().toString()).sorted().toList());
        }
    }

    @Test
    void replacesATornFileAndALeftover() throws IOException {
        Files.write(directory.resolve("libquadmath.so.0"), new byte[1000]);
        Files.write(directory.resolve("libquadmath.so.0.tmp"), new byte[1 << 20]);
        BUNDLE.unpackInto(directory);
        assertArrayEquals(packed(), Files.readAllBytes(directory.resolve("libquadmath.so.0")));
    }

    @Test
    void manyThreadsMayStartAtOnce() throws Exception {
        List<Future<byte[]>> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 8; i++) {
                results.add(threads.submit(() -> {
                    BUNDLE.unpackInto(directory);
                    return Files.readAllBytes(directory.resolve("libquadmath.so.0"));
                }));
            }
        }
        byte[] packed = packed();
        for (Future<byte[]> result : results) {
            assertArrayEquals(packed, result.get());
        }
    }

    /** Each unpacks into the same empty cache, loads the library and multiplies. */
    @Test
    void manyProcessesMayStartAtOnce() throws Exception {
        List<Process> processes = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                ProcessBuilder builder = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx64m",
                        "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp",
                        System.getProperty("java.class.path"), Multiplies.class.getName()).redirectErrorStream(true);
                builder.environment().put("XDG_CACHE_HOME", directory.toString());
                processes.add(builder.start());
            }
            for (Process process : processes) {
                assertEquals("6.0", new String(process.getInputStream().readAllBytes()).strip());
                assertEquals(0, process.waitFor());
            }
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
        try (var found = Files.walk(directory)) {
            assertEquals(List.of(), found.filter(path -> path.toString().endsWith(".tmp")).toList());
        }
    }

    /** The program of {@link #manyProcessesMayStartAtOnce}. */
    static final class Multiplies {
        private Multiplies() {}

        public static void main(String[] arguments) {
            try (var scope = java.lang.foreign.Arena.ofConfined()) {
                HeapOfTensors heap = new HeapOfTensors(scope);
                var a = heap.floats(dev.verbena.memory.Shape.of(1), 2);
                var b = heap.floats(dev.verbena.memory.Shape.of(1), 3);
                // Not in place: BLAS reads its factors after it has begun to write the product.
                var product = heap.floats(dev.verbena.memory.Shape.of(1), Float.NaN);
                Blas.get().multiply(false, false, 1, 1, 1, a.memory(), b.memory(), product.memory());
                System.out.println(HeapOfTensors.floats(product)[0]);
            }
        }
    }

    @Test
    void saysWhichResourceIsMissing() {
        String message = assertThrows(IllegalStateException.class,
                () -> new NativeBundle("no/such", List.of("lib.so")).unpackInto(directory)).getMessage();
        assertTrue(message.startsWith("native library resource=no/such/lib.so is not on the class path"), message);
    }

    @Test
    void saysWhereItCannotWrite() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        String message = assertThrows(IllegalStateException.class, () -> BUNDLE.unpackInto(file.resolve("below")))
                .getMessage();
        assertTrue(message.contains("directory=" + file.resolve("below")) && message.contains("set XDG_CACHE_HOME"),
                message);
    }

    @Test
    void namesTheOnlyPlatformThatItRunsOn() {
        OpenBlasLibrary.checkPlatform("Linux", "amd64");
        for (String[] other : new String[][]{{"Linux", "aarch64"}, {"Mac OS X", "amd64"}}) {
            String message = assertThrows(IllegalStateException.class,
                    () -> OpenBlasLibrary.checkPlatform(other[0], other[1])).getMessage();
            assertTrue(message.contains("linux-x86_64 only") && message.contains("os.arch=" + other[1]), message);
        }
    }

    @Test
    void keepsItsCacheWhereTheUserWantsIt() {
        Path own = Path.of("/home/me/.cache/verbena/openblas-1-linux-x86_64");
        assertEquals(own, OpenBlasLibrary.cacheDirectory(null, "/home/me", "1"));
        assertEquals(own, OpenBlasLibrary.cacheDirectory("", "/home/me", "1"));
        assertEquals(own, OpenBlasLibrary.cacheDirectory("relative", "/home/me", "1"));
        assertEquals(Path.of("/x/verbena/openblas-1-linux-x86_64"),
                OpenBlasLibrary.cacheDirectory("/x", "/home/me", "1"));
    }

    private static byte[] packed() throws IOException {
        try (var in = NativeBundleTest.class.getClassLoader()
                .getResourceAsStream(BUNDLE.resourceDirectory() + "/libquadmath.so.0")) {
            return in.readAllBytes();
        }
    }
}
