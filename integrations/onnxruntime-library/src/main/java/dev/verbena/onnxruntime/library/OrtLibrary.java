package dev.verbena.onnxruntime.library;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtLoggingLevel;

/**
 * Where ONNX Runtime is loaded, once in a process. Its loader unpacks the native library into a folder of the temporary folder and has the
 * JVM delete that at its end, the folder before what is in it, so that it stays; of a JVM that is killed all of it stays, 22 MB. A library
 * that is loaded needs no file: here it goes at once.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class OrtLibrary {
    private static final String LOADERS_FOLDER = "onnxruntime-java";
    /** What the loader of processors without accelerators unpacks. Those of others load more from there, later. */
    private static final Set<String> REMOVABLE = Set.of("libonnxruntime.so", "libonnxruntime4j_jni.so");
    private static final Path MAPPED_FILES = Path.of("/proc/self/maps");

    private OrtLibrary() {}

    /**
     * The environment of this process, which stays open.
     *
     * @throws UnsatisfiedLinkError if the library cannot be loaded; the message says why, and where another one would be found
     */
    public static OrtEnvironment environment() {
        try {
            return Loaded.ENVIRONMENT;
        } catch (LinkageError e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            UnsatisfiedLinkError failure = new UnsatisfiedLinkError(
                    "ONNX Runtime cannot be loaded on " + System.getProperty("os.name") + " "
                            + System.getProperty("os.arch") + " (" + cause
                            + "); its Java package has libraries for Linux with glibc on x64 and aarch64; one built for"
                            + " this machine is found by -Donnxruntime.native.path=FOLDER");
            failure.initCause(e);
            throw failure;
        }
    }

    /** Loaded when it is first asked for. */
    private static final class Loaded {
        private static final OrtEnvironment ENVIRONMENT = load();

        private static OrtEnvironment load() {
            OrtEnvironment environment = OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR,
                    "verbena");
            try {
                for (Path folder : loadersFolders()) {
                    remove(folder);
                }
            } catch (IOException _) {
                // Then the loader's own way is all there is.
            }
            return environment;
        }
    }

    /** Of this process: those that libraries are mapped from. */
    private static Set<Path> loadersFolders() throws IOException {
        Set<Path> folders = new HashSet<>();
        try (Stream<String> lines = Files.lines(MAPPED_FILES)) {
            lines.filter(line -> line.contains("/" + LOADERS_FOLDER) && line.endsWith(".so"))
                    .forEach(line -> folders.add(Path.of(line.substring(line.indexOf('/'))).getParent()));
        }
        folders.removeIf(folder -> !folder.getFileName().toString().startsWith(LOADERS_FOLDER));
        return folders;
    }

    private static void remove(Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            entries.forEach(files::add);
        }
        if (files.stream().allMatch(file -> REMOVABLE.contains(file.getFileName().toString()))) {
            for (Path file : files) {
                Files.delete(file);
            }
            Files.delete(folder);
        }
    }
}
