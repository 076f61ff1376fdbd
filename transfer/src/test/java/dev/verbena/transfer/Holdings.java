package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * What this process holds of the system, by name: threads, descriptors but for those of plain files such as jars, and memory that it shares
 * with others, as registered regions and links over {@code shm} are.
 *
 * <p><b>Owner:</b> the test. <b>Threading:</b> immutable.
 */
public record Holdings(List<String> threads, List<String> descriptors, List<String> sharedMemory) {
    /** What belongs to the last connection is given back by another thread. */
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);

    public static Holdings now() {
        try {
            return new Holdings(
                    Thread.getAllStackTraces().keySet().stream().map(Thread::getName).sorted().toList(),
                    openDescriptors(),
                    Files.readAllLines(Path.of("/proc/self/maps")).stream().filter(line -> line.contains(" rw-s "))
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException("/proc/self cannot be read", e);
        }
    }

    private static List<String> openDescriptors() throws IOException {
        List<String> open = new ArrayList<>();
        try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
            for (Path link : links.toList()) {
                try {
                    open.add(Files.readSymbolicLink(link).toString());
                } catch (IOException e) {
                    continue; // closed since it was listed, as the listing's own is
                }
            }
        }
        return open.stream().filter(each -> !Files.isRegularFile(Path.of(each)) || each.startsWith("/dev/shm/"))
                .toList();
    }

    /** @throws AssertionError that begins with these words and lists what is there now and was not then */
    public void assertNothingMore(String what) {
        long startNs = System.nanoTime();
        Holdings more = now().without(this);
        if (!more.isEmpty()) {
            System.gc(); // Counters are unmapped with the last reference to them.
        }
        while (!more.isEmpty() && System.nanoTime() - startNs < PATIENCE_NS) {
            LockSupport.parkNanos(1_000_000);
            more = now().without(this);
        }
        assertEquals(new Holdings(List.of(), List.of(), List.of()), more, what);
    }

    private boolean isEmpty() {
        return threads.isEmpty() && descriptors.isEmpty() && sharedMemory.isEmpty();
    }

    Holdings without(Holdings other) {
        return new Holdings(without(threads, other.threads), without(descriptors, other.descriptors),
                without(sharedMemory, other.sharedMemory));
    }

    private static List<String> without(List<String> all, List<String> others) {
        List<String> rest = new ArrayList<>(all);
        others.forEach(rest::remove);
        return rest;
    }
}
