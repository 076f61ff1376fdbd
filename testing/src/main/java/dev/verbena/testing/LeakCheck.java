package dev.verbena.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Compares what this process holds of the system now with what it held before: open sockets, selectors, shared files and folders of {@code /proc},
 * mappings of shared memory, and the names of files in the shared-memory directory. Shared memory are the kernel's own files, of memfd_create(2),
 * and what lies in that directory.
 *
 * <p><b>Owner:</b> the test. <b>Threading:</b> confined to the test's thread.
 *
 * <p>Regular files, such as jars that a class loader opened meanwhile, are not counted. Linux only: reads {@code /proc/self}.
 */
public final class LeakCheck {
    /** Sockets close on other threads, so that the count comes down a little later. */
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);
    private static final String ANONYMOUS = "/memfd:";

    private final Path sharedMemory;
    private final Holdings before;

    /** What was counted; each list is sorted. */
    private record Holdings(List<String> descriptors, List<String> mappings, List<String> names) {
        boolean exceeds(Holdings other) {
            return descriptors.size() > other.descriptors.size() || mappings.size() > other.mappings.size()
                    || !other.names.containsAll(names);
        }
    }

    private LeakCheck(Path sharedMemory) {
        this.sharedMemory = sharedMemory;
        before = count();
    }

    /** Remembers what is held now; warm up first, so that what a library opens once and for all is open. */
    public static LeakCheck begin(Path sharedMemory) {
        openWhatTheJdkKeeps();
        return new LeakCheck(sharedMemory);
    }

    /** With the first channel that is closed the JDK opens a socket, which stays. */
    private static void openWhatTheJdkKeeps() {
        try {
            ServerSocketChannel.open().close();
        } catch (IOException e) {
            throw new UncheckedIOException("a socket cannot be opened", e);
        }
    }

    /**
     * Waits a little for the counts to come down to what they were.
     *
     * @throws AssertionError that lists what is more than before
     */
    public void assertNothingGrew() {
        assertNothingGrew(PATIENCE_NS);
    }

    void assertNothingGrew(long patienceNs) {
        long startNs = System.nanoTime();
        Holdings now = count();
        if (now.exceeds(before)) {
            System.gc(); // Counters are unmapped with the last reference to them.
        }
        while (now.exceeds(before)) {
            if (System.nanoTime() - startNs > patienceNs) {
                throw new AssertionError(
                        "held now and not before: descriptors=" + added(before.descriptors, now.descriptors)
                                + " mappings=" + added(before.mappings, now.mappings) + " names="
                                + added(before.names, now.names));
            }
            LockSupport.parkNanos(1_000_000);
            now = count();
        }
    }

    private static List<String> added(List<String> before, List<String> now) {
        List<String> added = new ArrayList<>(now);
        before.forEach(added::remove);
        return added;
    }

    private Holdings count() {
        try {
            return new Holdings(descriptors(), mappings(), names());
        } catch (IOException e) {
            throw new UncheckedIOException("/proc/self or " + sharedMemory + " cannot be read", e);
        }
    }

    private List<String> descriptors() throws IOException {
        TreeMap<Integer, String> open = new TreeMap<>();
        try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
            for (Path link : links.toList()) {
                try {
                    open.put(Integer.valueOf(link.getFileName().toString()), Files.readSymbolicLink(link).toString());
                } catch (IOException e) {
                    continue; // closed since it was listed, as the listing's own descriptor is
                }
            }
        }
        return open.values().stream().filter(target -> target.startsWith("socket:") || target.startsWith("anon_inode:")
                || target.startsWith("pipe:") || target.startsWith(ANONYMOUS)
                || target.startsWith("/proc/") || target.startsWith(sharedMemory.toString())).toList();
    }

    private List<String> mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(" " + sharedMemory + "/") || line.contains(" " + ANONYMOUS))
                    .toList();
        }
    }

    /** Files only: a directory there is somebody's own place, which makes no difference to this process. */
    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(sharedMemory)) {
            return files.filter(Files::isRegularFile).map(Path::toString).sorted().toList();
        }
    }
}
