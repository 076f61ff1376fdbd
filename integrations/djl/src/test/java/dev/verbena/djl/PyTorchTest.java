package dev.verbena.djl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import ai.djl.engine.Engine;
import ai.djl.util.Utils;

/** In processes whose home and temporary folders are empty before. */
class PyTorchTest {
    @TempDir
    private Path home;
    @TempDir
    private Path temporary;

    @Test
    void nothingOfTheLibraryStays() throws Exception {
        assertEquals("loaded, offline=true telemetry=false", lastLine(Program.class, WorkerProcess.classPath()));
        assertEquals(List.of(), files());
    }

    /** What is checked is what DJL does. */
    @Test
    void djlLeavesItInTheHome() throws Exception {
        assertEquals("loaded", lastLine(DjlsOwn.class, WorkerProcess.classPath(), "-DPYTORCH_LIBRARY_PATH="
                + System.getProperty("PYTORCH_LIBRARY_PATH"), "-Dai.djl.offline=true"));
        assertTrue(!files().isEmpty(), "DJL leaves files");
    }

    /** DJL would look for it on its server. */
    @Test
    void withoutItsPackageNothingIsDownloaded() throws Exception {
        String without = Arrays.stream(WorkerProcess.classPath().split(File.pathSeparator))
                .filter(entry -> !entry.contains("pytorch-native-cpu")).collect(Collectors.joining(File.pathSeparator));
        String complaint = lastLine(Program.class, without);
        assertTrue(complaint.startsWith("java.lang.IllegalStateException: PyTorch cannot be loaded on Linux "),
                complaint);
        assertTrue(complaint.contains("ffline") && complaint.contains(
                "; DJL 0.35.1 takes it from the packages ai.djl.pytorch:pytorch-jni and"
                        + " ai.djl.pytorch:pytorch-native-cpu with the classifier linux-x86_64"),
                complaint);
        assertEquals(List.of(), files());
    }

    private String lastLine(Class<?> program, String classPath, String... options)
            throws IOException, InterruptedException {
        List<String> all = Stream.concat(Stream.of("-Duser.home=" + home, "-Djava.io.tmpdir=" + temporary, "-cp",
                classPath), Stream.of(options)).toList();
        try (WorkerProcess process = new WorkerProcess(Map.of(), all, program)) {
            return process.lastLine();
        }
    }

    private List<String> files() throws IOException {
        try (Stream<Path> inHome = Files.walk(home); Stream<Path> inTemporary = Files.walk(temporary)) {
            return Stream.concat(inHome, inTemporary).filter(path -> !path.equals(home) && !path.equals(temporary))
                    .map(Path::toString).toList();
        }
    }

    static final class Program {
        public static void main(String[] arguments) {
            try {
                PyTorch.engine().newBaseManager().close();
                System.out.println("loaded, offline=" + Utils.isOfflineMode() + " telemetry="
                        + !Boolean.getBoolean("OPT_OUT_TRACKING"));
            } catch (IllegalStateException e) {
                System.out.println(e);
            }
        }
    }

    static final class DjlsOwn {
        public static void main(String[] arguments) {
            Engine.getEngine("PyTorch").newBaseManager().close();
            System.out.println("loaded");
        }
    }
}
