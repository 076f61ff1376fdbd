package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.slf4j.LoggerFactory;

/**
 * The transfer module with one thing wrong: a text of one of its sources replaced. Its classes, and those of the simulation over them, have
 * a class loader of their own; what ships knows nothing of it.
 *
 * @param file below the package {@code dev.verbena.transfer}
 * @param right must be there, exactly once
 *
 * <p><b>Owner:</b> the test. <b>Threading:</b> immutable.
 */
record Mutant(String file, String right, String wrong) {
    private static final Path SOURCES = Path.of("../transfer/src/main/java/dev/verbena/transfer");
    /** Read when the mutant's own logging begins: what fails in a mutant is meant to. */
    private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";
    private static final List<String> PACKAGES = List.of("dev.verbena.transfer.", "dev.verbena.testing.sim.",
            "dev.verbena.testing.program.", "org.slf4j.");

    /** Runs the program with the seed. */
    interface Program {
        /** @throws AssertionError if the run shows that something is wrong */
        void run(long seed) throws Throwable;
    }

    /** Of a class with a static method {@code run} that takes a seed. */
    Program program(Class<?> whose) {
        try {
            Classes classes = new Classes(compiled());
            beSilent(classes);
            Class<?> program = Class.forName(whose.getName(), true, classes);
            var run = program.getMethod("run", long.class);
            return seed -> {
                try {
                    run.invoke(null, seed);
                } catch (java.lang.reflect.InvocationTargetException e) {
                    throw e.getCause();
                }
            };
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(this + " cannot be run", e);
        }
    }

    private static void beSilent(ClassLoader classes) throws ReflectiveOperationException {
        String level = System.getProperty(LOG_LEVEL);
        System.setProperty(LOG_LEVEL, "off");
        try {
            Class.forName(LoggerFactory.class.getName(), true, classes).getMethod("getLogger", String.class)
                    .invoke(null, "mutant");
        } finally {
            if (level == null) {
                System.clearProperty(LOG_LEVEL);
            } else {
                System.setProperty(LOG_LEVEL, level);
            }
        }
    }

    private String source() {
        try {
            String source = Files.readString(SOURCES.resolve(file));
            assertEquals(2, source.split(java.util.regex.Pattern.quote(right), -1).length,
                    () -> file + " must have exactly once: " + right);
            return source.replace(right, wrong);
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be read", e);
        }
    }

    private Map<String, byte[]> compiled() {
        Map<String, ByteArrayOutputStream> made = new HashMap<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavaFileManager files = new ForwardingJavaFileManager<JavaFileManager>(
                compiler.getStandardFileManager(null, null, null)) {
            @Override
            public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind,
                    FileObject sibling) {
                return new SimpleJavaFileObject(URI.create("memory:///" + name), kind) {
                    @Override
                    public OutputStream openOutputStream() {
                        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                        made.put(name, bytes);
                        return bytes;
                    }
                };
            }
        };
        JavaFileObject source = new SimpleJavaFileObject(URI.create("memory:///" + file), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return source();
            }
        };
        List<String> options = List.of("-classpath", System.getProperty("java.class.path"), "-proc:none", "-nowarn");
        assertTrue(compiler.getTask(null, files, null, options, null, List.of(source)).call(),
                () -> this + " does not compile");
        Map<String, byte[]> classes = new HashMap<>();
        made.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
        return classes;
    }

    /** The mutant's classes, and further ones of those packages as they are. */
    private static final class Classes extends ClassLoader {
        private final Map<String, byte[]> mutated;

        Classes(Map<String, byte[]> mutated) {
            super(Mutant.class.getClassLoader());
            this.mutated = mutated;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (PACKAGES.stream().noneMatch(name::startsWith)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            byte[] bytes = mutated.get(name);
            if (bytes == null) {
                try (InputStream original = getResourceAsStream(name.replace('.', '/') + ".class")) {
                    if (original == null) {
                        throw new ClassNotFoundException(name);
                    }
                    bytes = original.readAllBytes();
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
            return defineClass(name, bytes, 0, bytes.length);
        }
    }
}
