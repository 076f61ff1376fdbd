package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * OpenBLAS has kernels of its own for each type of processor, which differ in what they forgive and in how they round. What
 * multiplies is tested under those of other processors too, in a JVM for each.
 */
@Timeout(300)
class OtherBlasKernelsTest {
    private static final String VARIABLE = "OPENBLAS_CORETYPE";
    private static final double TOLERANCE = 1e-4;

    /** By OpenBLAS's names. A processor ends a program that uses instructions which it has not. */
    enum Kernels {
        SANDYBRIDGE("Sandybridge", "avx"), HASWELL("Haswell", "avx2", "fma"), ZEN("Zen", "avx2", "fma"), SKYLAKEX(
                "SkylakeX", "avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl");

        final String coreName;
        final List<String> instructions;

        Kernels(String coreName, String... instructions) {
            this.coreName = coreName;
            this.instructions = List.of(instructions);
        }
    }

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void whatMultipliesIsRightUnderThemToo(Kernels kernels) throws Exception {
        assumeTrue(System.getenv(VARIABLE) == null,
                () -> VARIABLE + "=" + System.getenv(VARIABLE) + " is set: others may compute wrong here");
        Set<String> missing = new HashSet<>(kernels.instructions);
        missing.removeAll(instructions());
        assumeTrue(missing.isEmpty(), () -> kernels.coreName + " needs a processor with " + missing);
        String output = run(kernels.coreName);
        assertEquals(kernels.coreName, value(TestsUnderKernels.CORE, output));
        assertClose(TestsUnderKernels.losses(), losses(output));
    }

    private String run(String coreName) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx512m",
                "-XX:+UseSerialGC", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), TestsUnderKernels.class.getName()).directory(folder.toFile())
                .redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put(VARIABLE, coreName);
        Process process = builder.start();
        try {
            assertEquals(0, process.waitFor(), () -> read(output));
        } finally {
            process.destroyForcibly();
        }
        return read(output);
    }

    private static void assertClose(double[] expected, double[] actual) {
        assertEquals(expected.length, actual.length);
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], actual[i], TOLERANCE * expected[i], "iteration " + i);
        }
    }

    private static double[] losses(String output) {
        return Arrays.stream(value(TestsUnderKernels.LOSSES, output).split(" ")).mapToDouble(Double::parseDouble)
                .toArray();
    }

    private static String value(String name, String output) {
        List<String> values = output.lines().filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length())).toList();
        assertTrue(values.size() == 1, output);
        return values.getFirst();
    }

    /** As far as the system lets programs use them. */
    private static List<String> instructions() throws IOException {
        return Files.readAllLines(Path.of("/proc/cpuinfo")).stream().filter(line -> line.startsWith("flags"))
                .flatMap(line -> Arrays.stream(line.split("\\s+"))).distinct().toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
