package dev.verbena.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The files in which a system describes itself, under a root that need not be the system's own.
 *
 * @param canOpen whether this process may read and write a file
 */
record SystemFiles(Path root, Predicate<Path> canOpen) {
    static SystemFiles ofThisMachine() {
        return new SystemFiles(Path.of("/"), path -> Files.isReadable(path) && Files.isWritable(path));
    }

    boolean exists(String path) {
        return Files.exists(at(path));
    }

    boolean isUsable(String path) {
        return canOpen.test(at(path));
    }

    /** The text of a file without its last line break; empty where it cannot be read. */
    String read(String path) {
        try {
            return Files.readString(at(path)).stripTrailing();
        } catch (IOException _) {
            return "";
        }
    }

    /** What a folder holds, in order; nothing where there is none. */
    List<String> names(String folder) {
        try (Stream<Path> entries = Files.list(at(folder))) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException _) {
            return List.of();
        }
    }

    /** Bytes that could still be written in a folder; -1 where that cannot be said. */
    long usableByteSize(String folder) {
        try {
            return Files.getFileStore(at(folder)).getUsableSpace();
        } catch (IOException _) {
            return -1;
        }
    }

    private Path at(String path) {
        return root.resolve(path.substring(1));
    }
}
