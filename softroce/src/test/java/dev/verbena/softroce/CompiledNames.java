package dev.verbena.softroce;

import java.io.IOException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * The types that the modules have compiled, by the ends of their names, and what reflection says of them.
 *
 * <p>Threading: confined to its test.
 *
 * @param api of the packages that the bindings export
 * @param tests of all modules
 */
record CompiledNames(URLClassLoader loader, List<String> api, List<String> tests) implements AutoCloseable {
    private static final String EXPORTED = "dev.verbena.verbs";
    private static final List<String> HIDDEN = List.of("dev.verbena.verbs.abi.", "dev.verbena.verbs.bridge.",
            "dev.verbena.verbs.ffi.", "dev.verbena.verbs.library.");

    static CompiledNames of(Path home) throws IOException {
        List<URL> roots = new ArrayList<>();
        List<String> tests = new ArrayList<>();
        for (Path root : OnDeviceRun.testClasses(home)) {
            roots.add(root.toUri().toURL());
            tests.addAll(names(root));
        }
        Path bindings = home.resolve("bindings/target/classes");
        roots.add(bindings.toUri().toURL());
        List<String> api = names(bindings).stream()
                .filter(name -> name.startsWith(EXPORTED) && HIDDEN.stream().noneMatch(name::startsWith)).toList();
        return new CompiledNames(new URLClassLoader(roots.toArray(new URL[0]), CompiledNames.class.getClassLoader()),
                api, tests);
    }

    private static List<String> names(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString()).filter(file -> file.endsWith(".class"))
                    .map(file -> file.replace(".class", "").replace('/', '.')).toList();
        }
    }

    /** {@code wake} and {@code ON_DEMAND} are, {@code QueuePair} and {@code QueuePair.post} are not. */
    static boolean isMember(String name) {
        return name.matches("[a-z]\\w*|[A-Z][A-Z0-9_]+");
    }

    /** Of {@code examples.RcPingpong} and {@code QueuePair.post} what comes before the member, if there is one. */
    static String typeOf(String name) {
        return hasMember(name) ? name.substring(0, name.lastIndexOf('.')) : name;
    }

    /** Empty if there is none. */
    static String memberOf(String name) {
        return hasMember(name) ? name.substring(name.lastIndexOf('.') + 1) : "";
    }

    private static boolean hasMember(String name) {
        return name.contains(".") && isMember(name.substring(name.lastIndexOf('.') + 1));
    }

    /** A public type, or a public member of one; of the Java platform, too. */
    boolean hasApi(String type, String member) {
        List<Class<?>> types = new ArrayList<>(types(api, type));
        if (type.startsWith("java.")) {
            types.addAll(types(List.of(type), type));
        }
        return types.stream().anyMatch(each -> Modifier.isPublic(each.getModifiers()) && (member.isEmpty()
                || Stream.<Member>concat(Stream.of(each.getMethods()), Stream.of(each.getFields()))
                        .anyMatch(one -> one.getName().equals(member))));
    }

    /** A class that has tests, or one of its tests. */
    boolean hasTest(String type, String member) {
        return types(tests, type).stream().flatMap(each -> Stream.of(each.getDeclaredMethods()))
                .anyMatch(method -> isTest(method) && (member.isEmpty() || method.getName().equals(member)));
    }

    /** A program among the tests. */
    boolean hasExample(String type, String member) {
        return member.isEmpty() && types(tests, type).stream().flatMap(each -> Stream.of(each.getDeclaredMethods()))
                .anyMatch(method -> method.getName().equals("main"));
    }

    private static boolean isTest(Method method) {
        return AnnotationSupport.isAnnotated(method, Testable.class);
    }

    private List<Class<?>> types(List<String> names, String type) {
        List<Class<?>> types = new ArrayList<>();
        for (String name : names) {
            if (name.equals(type) || name.endsWith("." + type)) {
                try {
                    types.add(Class.forName(name, false, loader));
                } catch (ClassNotFoundException e) {
                    throw new IllegalStateException(name, e);
                }
            }
        }
        return types;
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }
}
