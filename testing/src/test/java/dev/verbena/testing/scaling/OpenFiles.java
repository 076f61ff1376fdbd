package dev.verbena.testing.scaling;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What this process has open, by {@code /proc/self/fd}. */
final class OpenFiles {
    private static final Path FOLDER = Path.of("/proc/self/fd");

    private OpenFiles() {}

    static long sockets() {
        return targets().stream().filter(target -> target.startsWith("socket:")).count();
    }

    /** The folders of peers' files, by which their memory is found. */
    static long folders() {
        return targets().stream().filter(target -> target.startsWith("/proc/")).count();
    }

    /** Files without a name that have exactly so many bytes. */
    static long nameless(long byteSize) {
        return list().stream().filter(each -> target(each).endsWith(" (deleted)") && byteSize(each) == byteSize)
                .count();
    }

    private static List<String> targets() {
        return list().stream().map(OpenFiles::target).toList();
    }

    private static List<Path> list() {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(FOLDER + " cannot be read", e);
        }
    }

    /** Empty if it has been closed since it was listed. */
    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException _) {
            return "";
        }
    }

    private static long byteSize(Path descriptor) {
        try {
            return Files.size(descriptor);
        } catch (IOException _) {
            return -1;
        }
    }
}
