package dev.verbena.training.blas;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

import dev.verbena.training.TrainingException;

/**
 * Finds OpenBLAS in the jar {@code org.bytedeco:openblas} and loads it; the one place that knows its file names.
 *
 * <p>What needs what (readelf -d), so dependencies are loaded first and each later one finds them by their soname:
 * <pre>
 *   libopenblas.so.0 ── RUNPATH $ORIGIN ──► libgfortran.so.5 ── no run path ──► libquadmath.so.0, libgcc_s.so.1
 * </pre>
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class OpenBlasLibrary {
    private static final String PLATFORM = "linux-x86_64";
    private static final String LIBRARY = "libopenblas.so.0";
    private static final String GCC_SUPPORT = "libgcc_s.so.1";
    private static final List<String> DEPENDENCIES = List.of("libquadmath.so.0", "libgfortran.so.5");

    static final NativeBundle BUNDLE = new NativeBundle("org/bytedeco/openblas/" + PLATFORM,
            List.of(GCC_SUPPORT, DEPENDENCIES.get(0), DEPENDENCIES.get(1), LIBRARY));

    private OpenBlasLibrary() {}

    /** Unpacks where needed and loads. @throws TrainingException saying what is missing */
    public static SymbolLookup load() {
        checkPlatform(System.getProperty("os.name"), System.getProperty("os.arch"));
        Path directory = cacheDirectory(System.getenv("XDG_CACHE_HOME"), System.getProperty("user.home"), version());
        BUNDLE.unpackInto(directory);
        loadGccSupport(directory);
        for (String dependency : DEPENDENCIES) {
            open(directory.resolve(dependency));
        }
        return open(directory.resolve(LIBRARY));
    }

    static void checkPlatform(String system, String architecture) {
        if (!system.equals("Linux") || !architecture.equals("amd64")) {
            throw new TrainingException("training needs OpenBLAS, which Verbena carries for " + PLATFORM
                    + " only; this is os.name=" + system + " os.arch=" + architecture);
        }
    }

    /** By the XDG base directory specification, which also says to ignore a relative path. */
    static Path cacheDirectory(String xdgCacheHome, String userHome, String version) {
        Path cache = xdgCacheHome != null && Path.of(xdgCacheHome).isAbsolute()
                ? Path.of(xdgCacheHome)
                : Path.of(userHome, ".cache");
        return cache.resolve("verbena").resolve("openblas-" + version + "-" + PLATFORM);
    }

    private static String version() {
        String name = "META-INF/maven/org.bytedeco/openblas/pom.properties";
        try (InputStream in = OpenBlasLibrary.class.getClassLoader().getResourceAsStream(name)) {
            if (in == null) {
                throw new TrainingException("the jar org.bytedeco:openblas:" + PLATFORM
                        + " is not on the class path; training needs it");
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        } catch (IOException e) {
            throw new TrainingException("cannot read resource=" + name + ": " + e, e);
        }
    }

    /**
     * The system's own where there is one: a second, older copy could be found by its soname in place of the system's by a
     * library that is loaded later and needs the newer.
     */
    private static void loadGccSupport(Path directory) {
        try {
            SymbolLookup.libraryLookup(GCC_SUPPORT, Arena.global());
        } catch (IllegalArgumentException e) {
            open(directory.resolve(GCC_SUPPORT));
        }
    }

    private static SymbolLookup open(Path file) {
        try {
            return SymbolLookup.libraryLookup(file, Arena.global());
        } catch (IllegalArgumentException e) {
            throw new TrainingException("cannot load file=" + file
                    + "; is it on a file system mounted noexec, or is the C library older than glibc 2.34?", e);
        }
    }
}
