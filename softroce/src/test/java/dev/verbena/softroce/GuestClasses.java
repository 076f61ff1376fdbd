package dev.verbena.softroce;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The classes of the tests on a device, as guests want them, in which loading and linking one takes milliseconds: in jars that nothing has to
 * inflate and, once a guest has listed what it loaded, in a class-data-sharing archive with them and all others of ours.
 *
 * <p>
 * Threading: thread-safe; they are packed once.
 */
final class GuestClasses {
    /** What all runs share. */
    static final GuestClasses SHARED = new GuestClasses(Guests.TARGET.resolve("guest-classes"));
    private static final String CLASS = ".class";

    private final Path folder;
    private final Path archive;
    private String classPath;

    /** @param folder for jars and archive; an archive that is there already is of other jars */
    GuestClasses(Path folder) {
        this.folder = folder;
        archive = folder.resolve("classes.jsa");
    }

    /** This module's own, and every module's tests. */
    synchronized String classPath() throws IOException {
        if (classPath == null) {
            Files.createDirectories(folder);
            Files.deleteIfExists(archive);
            List<String> packed = new ArrayList<>();
            for (Path entry : entries()) {
                packed.add(Files.isDirectory(entry) ? pack(entry, packed.size()).toString() : entry.toString());
            }
            classPath = String.join(File.pathSeparator, packed);
        }
        return classPath;
    }

    private static Set<Path> entries() throws IOException {
        Set<Path> entries = new LinkedHashSet<>();
        Stream.of(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                .split(File.pathSeparator)).map(Path::of).filter(Files::exists).forEach(entries::add);
        entries.addAll(OnDeviceRun.testClasses(Guests.HOME));
        return entries;
    }

    private Path pack(Path classes, int number) throws IOException {
        Path jar = folder.resolve(number + "-" + Guests.HOME.relativize(classes).toString().replace('/', '-') + ".jar");
        try (OutputStream file = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(file);
                Stream<Path> files = Files.walk(classes)) {
            zip.setMethod(ZipOutputStream.STORED);
            for (Path each : files.filter(Files::isRegularFile).sorted().toList()) {
                byte[] bytes = Files.readAllBytes(each);
                ZipEntry entry = new ZipEntry(classes.relativize(each).toString());
                CRC32 sum = new CRC32();
                sum.update(bytes);
                entry.setCrc(sum.getValue());
                entry.setSize(bytes.length);
                zip.putNextEntry(entry);
                zip.write(bytes);
            }
        }
        return jar;
    }

    /** For a JVM that shall list what it loads. */
    static String listing(Path list) {
        return "-XX:DumpLoadedClassList=" + list;
    }

    /** For JVMs that may take classes from the archive; children that they start are told of it too. Nothing where there is none. */
    synchronized List<String> flags() throws IOException {
        classPath(); // Nothing of a run before.
        return Files.exists(archive)
                ? List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off", "-Dverbena.archive=" + archive)
                : List.of();
    }

    /** Makes the archive of what a guest has listed. It is a luxury: where there is no list, or none can be made, guests take longer. */
    synchronized void archive(Path list, List<String> flags) throws IOException, InterruptedException {
        if (!Files.exists(list)) {
            return;
        }
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(list)) {
            if (!line.contains(" source: ")) { // Of another class loader.
                lines.add(line.replaceAll(" id: \\d+$", ""));
            }
        }
        for (Path entry : entries()) {
            if (Files.isDirectory(entry)) {
                try (Stream<Path> files = Files.walk(entry)) {
                    files.map(file -> entry.relativize(file).toString())
                            .filter(name -> name.endsWith(CLASS) && !name.contains("-"))
                            .map(name -> name.substring(0, name.length() - CLASS.length())).forEach(lines::add);
                }
            }
        }
        Path all = Files.write(folder.resolve("classes.list"), lines);
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(flags);
        // Java 22 and 23 do not know how to link classes ahead of time.
        command.addAll(List.of("-Xshare:dump", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:+AOTClassLinking",
                "-XX:SharedClassListFile=" + all, "-XX:SharedArchiveFile=" + archive, "-cp", classPath()));
        new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(folder.resolve("archive.log").toFile()).start().waitFor();
    }
}
