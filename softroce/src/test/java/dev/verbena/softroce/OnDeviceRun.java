package dev.verbena.softroce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A JVM that runs test classes, on whatever machine sees this one's files.
 *
 * @param folder where it writes
 */
record OnDeviceRun(Path folder) {
    /** Of all runs, which have one each in it. */
    static final Path FOLDER = Guests.TARGET.resolve("on-device");
    private static final String ENDING = "OnDevice.class";
    /** Of a test that does not say its own, and of each method before and after tests. What is interrupted then fails by name. */
    private static final String DEADLINE = "120 s";
    /**
     * How much some do, where somebody wants more than they do by themselves: random programs, rounds of coming and going, models that an emulated
     * processor takes minutes for.
     */
    private static final List<String> AMOUNTS = List.of("verbena.programs.seeds", "verbena.resources.rounds",
            "verbena.models.large");
    private static final List<String> FLAGS = List.of("--enable-native-access=ALL-UNNAMED", "-Xmx1g",
            "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto");

    /**
     * The test classes called *OnDevice that the modules have compiled.
     *
     * @param wanted names, with or without their package, separated by commas; empty for all
     */
    static List<String> classes(Path home, String wanted) throws IOException {
        List<String> found = new ArrayList<>();
        for (Path root : testClasses(home)) {
            try (Stream<Path> files = Files.walk(root)) {
                files.map(file -> root.relativize(file).toString()).filter(file -> file.endsWith(ENDING))
                        .map(file -> file.replace(".class", "").replace('/', '.')).sorted().forEach(found::add);
            }
        }
        if (found.isEmpty()) {
            throw new IllegalStateException("no class called *OnDevice is compiled: folders=" + testClasses(home));
        }
        if (wanted.isEmpty()) {
            return found;
        }
        List<String> chosen = new ArrayList<>();
        for (String name : wanted.split(",")) {
            List<String> matches = found.stream().filter(each -> each.equals(name) || each.endsWith("." + name))
                    .toList();
            if (matches.isEmpty()) {
                throw new IllegalArgumentException("class=" + name + " is none of the tests on a device: " + found);
            }
            chosen.addAll(matches);
        }
        return chosen;
    }

    static List<Path> testClasses(Path home) throws IOException {
        List<Path> folders = new ArrayList<>(List.of(home));
        Stream.of(home.resolve("integrations")).filter(Files::isDirectory).forEach(folders::add);
        List<Path> found = new ArrayList<>();
        for (Path folder : folders) {
            try (Stream<Path> modules = Files.list(folder)) {
                modules.map(module -> module.resolve("target/test-classes")).filter(Files::isDirectory).sorted()
                        .forEach(found::add);
            }
        }
        return found;
    }

    /** Writes what java shall be given into a new folder. */
    static OnDeviceRun prepare(Path folder, List<String> classes) throws IOException {
        return prepare(folder, classes, DEADLINE);
    }

    static OnDeviceRun prepare(Path folder, List<String> classes, String deadline) throws IOException {
        delete(folder);
        OnDeviceRun run = new OnDeviceRun(Files.createDirectories(folder));
        List<String> arguments = new ArrayList<>(FLAGS);
        List<String> archived = GuestClasses.SHARED.flags();
        arguments.addAll(archived.isEmpty() ? List.of(GuestClasses.listing(run.loaded())) : archived);
        arguments.addAll(List.of("-Dverbena.home=" + Guests.HOME, "-cp", GuestClasses.SHARED.classPath(),
                "org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner", "--disable-ansi-colors",
                "--details=testfeed", "--reports-dir=" + run.reports(), "--config",
                "junit.jupiter.execution.timeout.default=" + deadline, "--config",
                // This module's own classes do, on whose class path these tests are.
                "junit.jupiter.execution.parallel.enabled=false"));
        AMOUNTS.stream().filter(amount -> System.getProperty(amount) != null)
                .forEach(amount -> arguments.addFirst("-D" + amount + "=" + System.getProperty(amount)));
        classes.forEach(name -> arguments.add("--select-class=" + name));
        Files.write(run.arguments(), arguments.stream().map(OnDeviceRun::quoted).toList());
        return run;
    }

    String command() {
        return "'" + Path.of(System.getProperty("java.home"), "bin", "java") + "' '@" + arguments() + "'";
    }

    /** What its JVM loads, once it has ended. */
    Path loaded() {
        return folder.resolve("loaded");
    }

    /** Makes an archive of what it has loaded, for those that are prepared from then on. */
    void archive() throws IOException, InterruptedException {
        GuestClasses.SHARED.archive(loaded(), FLAGS);
    }

    /** What ran, by class. */
    Map<String, List<TestResult>> results() throws IOException {
        return TestResult.readAll(reports());
    }

    private Path arguments() {
        return folder.resolve("arguments");
    }

    private Path reports() {
        return folder.resolve("reports");
    }

    /** As java reads its argument files. */
    private static String quoted(String argument) {
        return "\"" + argument.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
