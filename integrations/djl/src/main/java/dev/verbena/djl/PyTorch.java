package dev.verbena.djl;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import ai.djl.engine.Engine;
import ai.djl.engine.EngineException;

/**
 * Where PyTorch is loaded, once in a process, without a word to any network and so that nothing of it stays in a folder. DJL unpacks it, 450 MB,
 * into a folder below the user's home and leaves it there, and looks for a package that is not on the class path on a server of its own.
 *
 * <p>A library that is loaded needs no file: it is unpacked into a temporary folder, which goes at once. Whoever wants it unpacked for good, for
 * several processes, names a folder by {@code PYTORCH_LIBRARY_PATH}, {@code ENGINE_CACHE_DIR} or {@code DJL_CACHE_DIR}, as a variable or a
 * property; then it is DJL's way. {@code ai.djl.offline} and {@code OPT_OUT_TRACKING} become true for the process, unless they are set.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class PyTorch {
    private static final String ENGINE = "PyTorch";
    private static final String LIBRARY_PATH = "PYTORCH_LIBRARY_PATH";
    private static final String ENGINE_FOLDER = "ENGINE_CACHE_DIR";
    private static final String FOLDER = "DJL_CACHE_DIR";
    /** Of the library by which DJL looks for accelerators. */
    private static final String JNA_FOLDER = "jna.tmpdir";
    private static final String FLAVOR = "PYTORCH_FLAVOR";

    private PyTorch() {}

    /**
     * DJL's engine; to be called before anything else of DJL is.
     *
     * @throws IllegalStateException if PyTorch is not on the class path or cannot be loaded; the message says what to add
     */
    public static Engine engine() {
        try {
            return Loaded.ENGINE;
        } catch (LinkageError e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IllegalStateException("PyTorch cannot be loaded on " + System.getProperty("os.name") + " "
                    + System.getProperty("os.arch") + ": " + root(cause)
                    + "; DJL " + Engine.getDjlVersion() + " takes it from the packages ai.djl.pytorch:pytorch-jni and"
                    + " ai.djl.pytorch:pytorch-native-cpu with the classifier linux-x86_64, which must be on the class path",
                    cause);
        }
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    /** Loaded when it is first asked for. */
    private static final class Loaded {
        private static final Engine ENGINE = load();

        private static Engine load() {
            setUnlessSet("ai.djl.offline", "DJL_OFFLINE", "true");
            setUnlessSet("OPT_OUT_TRACKING", "OPT_OUT_TRACKING", "true");
            Path folder = newFolder();
            Thread atExit = new Thread(() -> remove(folder));
            Runtime.getRuntime().addShutdownHook(atExit);
            List<String> lent = new ArrayList<>();
            try {
                lend(lent, JNA_FOLDER, folder.toString());
                if (isSet(LIBRARY_PATH)) {
                    // Else it would look for accelerators to guess it.
                    lend(lent, FLAVOR, "cpu");
                }
                if (!isSet(LIBRARY_PATH) && !isSet(FOLDER)) {
                    lend(lent, ENGINE_FOLDER, folder.toString());
                }
                return Engine.getEngine(PyTorch.ENGINE);
            } catch (EngineException | IllegalArgumentException e) {
                throw new ExceptionInInitializerError(e);
            } finally {
                lent.forEach(System::clearProperty);
                remove(folder);
                forget(atExit);
            }
        }

        private static Path newFolder() {
            try {
                return Files.createTempDirectory("verbena-pytorch");
            } catch (IOException e) {
                throw new UncheckedIOException("no temporary folder to unpack PyTorch in", e);
            }
        }

        private static boolean isSet(String name) {
            return System.getenv(name) != null || System.getProperty(name) != null;
        }

        private static void setUnlessSet(String property, String variable, String value) {
            if (System.getenv(variable) == null && System.getProperty(property) == null) {
                System.setProperty(property, value);
            }
        }

        private static void lend(List<String> lent, String property, String value) {
            if (!isSet(property)) {
                System.setProperty(property, value);
                lent.add(property);
            }
        }

        private static void forget(Thread atExit) {
            try {
                Runtime.getRuntime().removeShutdownHook(atExit);
            } catch (IllegalStateException _) {
                // The process is ending, and does it again.
            }
        }

        private static void remove(Path folder) {
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            } catch (IOException | UncheckedIOException _) {
                // It is gone, or going.
            }
        }
    }
}
